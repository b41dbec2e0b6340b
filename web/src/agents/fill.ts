/** Replaces the placeholders in the documentation by the host, the ports and the token. */
import type { RouterStatus } from '../api/model';
import { isLocal } from '../ui/firstMessage';

export type SendTarget = {
  /** The host as in an address bar: IPv6 addresses are in brackets. */
  host: string;
  /** The token; empty if there is none yet. */
  token: string;
  /** The origin of the console, and the path below which it is served. */
  web: { protocol: string; port: string; base: string };
  /** Null if they are not known: the server has not answered, or does not tell this user. */
  listeners: readonly Listener[] | null;
  /** A word that only the test message contains. */
  word: string;
};

export type Listener = { kind: string; scheme: string; port: string; isLocal: boolean };

/**
 * A listener that a configuration sends to, other than the web listener, with the port in the
 * documentation.
 */
export type ListenerNeed = { kind: string; scheme: string; port: string };

const TOKEN = /\bTOKEN\b/g;
/** Stands for the base path of the console until everything else is replaced. */
const BASE = '\u{e000}';
/** Docker's own driver for Splunk refuses an address with a path. */
const DOCKER = /^(?=docker run --log-driver splunk )/gm;
const SPLUNK_URL = new RegExp(`(splunk-url=\\S*?)${BASE}`, 'g');
const NO_PATH =
  "# Docker's driver takes no path: name the address of the server itself, not of the proxy.\n";
/** Stands for a port that is not known. */
const PORT = 'PORT';
/** The text of a message in an example that is sent unchanged. */
const SAMPLE = /("message": ?"[^"]*)"/;

/** The ports in the documentation, and the kind of listener on each. */
const documented = [
  { port: '5514', kind: 'syslog', schemes: ['tcp', 'udp'] },
  { port: '2514', kind: 'relp', schemes: ['relp'] },
  { port: '12201', kind: 'gelf', schemes: ['tcp', 'udp'] },
  { port: '4317', kind: 'otlp', schemes: ['grpc'] },
] as const;

export function fill(text: string, { host, token, web, listeners, word }: SendTarget): string {
  const webPort = web.port === '' ? (web.protocol === 'https:' ? '443' : '80') : web.port;
  const ports = new Map([['8080', webPort]]);
  for (const need of needsOf(text)) ports.set(need.port, portFor(need, listeners));
  const known = new RegExp(`\\b(?:${[...ports.keys()].join('|')})\\b`, 'g');
  return (
    text
      .replace(/http:(\/\/[^/\s]*logs\.example:8080)/g, `${web.protocol}$1${BASE}`)
      .replace(/^(\s*(?:Logs_uri|URI)\s+)(?=\/)/gm, `$1${BASE}`)
      .replace(SPLUNK_URL, '$1')
      .replace(DOCKER, web.base === '' ? '' : NO_PATH)
      .replace(known, (port) => ports.get(port) ?? port)
      .replace(SAMPLE, (_, sample: string) => `${sample} ${word}"`)
      // In a URL an IPv6 host keeps its brackets; elsewhere programs do not accept them.
      .replace(
        /(\/\/(?:[^/\s]*@)?)?logs\.example(:?)/g,
        (_, before: string | undefined, after: string) => {
          const isAddress = before !== undefined || after !== '';
          return (before ?? '') + (isAddress ? host : bare(host)) + after;
        },
      )
      .replace(TOKEN, (placeholder) => (token === '' ? placeholder : token))
      .replaceAll(BASE, web.base)
  );
}

/** The port for a listener; if nothing listens yet, the one in the documentation. */
function portFor(need: ListenerNeed, listeners: SendTarget['listeners']): string {
  if (listeners === null) return PORT;
  return listeners.find((one) => meets(one, need))?.port ?? need.port;
}

export function wantsToken(code: string): boolean {
  return code.search(TOKEN) !== -1;
}

export function meets(listener: Listener, { kind, scheme }: ListenerNeed): boolean {
  return listener.kind === kind && listener.scheme === scheme;
}

export function listenersOf({ sources }: RouterStatus): Listener[] {
  return sources.flatMap(({ kind, listeners }) =>
    listeners
      .filter(({ state }) => state === 'listening')
      .map(({ url }) => {
        const [, scheme = '', port = ''] = /^(\w+):.*:(\d+)$/.exec(url) ?? [];
        return { kind, scheme, port, isLocal: isLocal(url) };
      }),
  );
}

/**
 * The listeners that a text needs. UDP and TCP use the same port in the documentation, so other
 * words in the text decide.
 */
export function needsOf(text: string): ListenerNeed[] {
  const isUdp = /udp|SOCK_DGRAM/i.test(text);
  return documented
    .filter(({ port }) => new RegExp(`\\b${port}\\b`).test(text))
    .map(({ port, kind, schemes: [first, second] }) => ({
      port,
      kind,
      scheme: isUdp && second !== undefined ? second : first,
    }));
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
