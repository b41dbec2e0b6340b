/** The commands and settings with which a new user sends a first message. */

const DEFAULT_PORT = '5514';
/** The placeholder for an unknown port. */
const UNKNOWN_PORT = 'PORT';
const HELLO = 'hello logstead';

/** The addresses to which messages can be sent over the network. */
export type Receiver = { host: string; port: string; transport: 'tcp' | 'udp' };

/**
 * TCP if there is a listener for it, else UDP; the usual port if there is no listener. Null if the
 * listeners are not known.
 */
export function receiverOf(listeners: readonly string[] | null, host: string): Receiver {
  if (listeners === null) return { host, port: UNKNOWN_PORT, transport: 'tcp' };
  const tcp = portOf(listeners, 'tcp');
  if (tcp !== undefined) return { host, port: tcp, transport: 'tcp' };
  const udp = portOf(listeners, 'udp');
  if (udp !== undefined) return { host, port: udp, transport: 'udp' };
  return { host, port: DEFAULT_PORT, transport: 'tcp' };
}

/** `logger` over TCP if there is a listener for it, else over UDP. */
export function loggerCommand(
  listeners: readonly string[] | null,
  host: string,
  text = HELLO,
): string {
  const { port, transport } = receiverOf(listeners, host);
  return `logger -n ${bare(host)} -P ${port} ${transport === 'udp' ? '-d' : '-T'} ${quoted(text)}`;
}

/** A command for computers without `logger`. */
export function netcatCommand({ host, port, transport }: Receiver, text = HELLO): string {
  const flags = transport === 'udp' ? '-u -w1' : '-w1';
  return `printf '%s\\n' ${quoted(`<14>${text}`)} | nc ${flags} ${bare(host)} ${port}`;
}

export function curlCommand(origin: string, token = 'TOKEN', text = HELLO): string {
  return `curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: text/plain' --data ${quoted(text)} ${origin}/api/v1/ingest`;
}

/** Forwards all messages that rsyslog has, and keeps them on disk while the server is away. */
export function rsyslogConfig({ host, port, transport }: Receiver): string {
  return [
    '# /etc/rsyslog.d/60-logstead.conf',
    `action(type="omfwd" target="${bare(host)}" port="${port}" protocol="${transport}"`,
    ...(transport === 'tcp' ? ['       TCP_Framing="octet-counted"'] : []),
    '       template="RSYSLOG_SyslogProtocol23Format"',
    '       action.resumeRetryCount="-1"',
    '       queue.type="LinkedList" queue.filename="logstead" queue.saveOnShutdown="on")',
  ].join('\n');
}

/** Debian's configuration calls the system's own messages `s_src`. */
export function syslogNgConfig({ host, port, transport }: Receiver): string {
  return [
    '# /etc/syslog-ng/conf.d/logstead.conf',
    'destination d_logstead {',
    `    syslog("${bare(host)}" port(${port}) transport("${transport}"));`,
    '};',
    'log { source(s_src); destination(d_logstead); };',
  ].join('\n');
}

/** Whether only programs on the server's own computer can reach these listeners. */
export function isLocalOnly(listeners: readonly string[]): boolean {
  const network = listeners.filter((url) => /^(tcp|udp|tls|relp)/.test(url));
  return network.length > 0 && network.every(isLocal);
}

export function isLocal(url: string): boolean {
  return /\/\/(127\.|\[::1\]|localhost)/.test(url);
}

function portOf(listeners: readonly string[], scheme: string): string | undefined {
  const url = listeners.find((listener) => listener.startsWith(`${scheme}://`));
  return url === undefined ? undefined : /:(\d+)$/.exec(url)?.[1];
}

/**
 * Quotes a text for a shell: nothing has a special meaning in single quotes, except these
 * themselves.
 */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The address bar shows IPv6 addresses in brackets, which programs do not accept. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
