import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../server';

/** The address to which a client is told to send. */
export interface Address {
  /** The host and the port. */
  host: string;
  token: string;
}

/** The requirements of programs in one language. `npm run clients` fetches them. */
interface Runtime {
  /** The file that pins the versions of the libraries. */
  pins: string;
  /** The reason why they cannot run, if something is missing. */
  missing: () => string | null;
}

/** A library or a program of another project, as a sender. */
export interface Client {
  name: string;
  version: string;
  runtime: Runtime;
  /** The kind of listener that it sends to. */
  speaks: 'web' | 'udp' | 'tcp' | 'grpc';
  command: (address: Address) => string[];
  /** Whether it is part of every test run, or only of the complete one. */
  always: boolean;
  /** Whether it sends unacknowledged messages again. */
  retries: boolean;
  runs: 'to its end' | 'for ever';
  feed: 'at once' | 'window';
  /**
   * The text that it sends for a given text, by its own rules or those of the protocol; `null` if
   * it sends none.
   */
  becomes: (text: string) => string | null;
}

const folder = join(root, 'e2e/clients');
const cache = join(root, '.cache/clients');

const python = (venv: string): Runtime & { program: string } => ({
  pins: `python/requirements${venv}.txt`,
  program: join(cache, `python${venv}/bin/python`),
  missing: () => absent(join(cache, `python${venv}/fetched`)),
});
const node: Runtime = {
  pins: 'node/package.json',
  missing: () => absent(join(cache, 'node/fetched')),
};

const java: Runtime = {
  pins: 'java/pom.xml',
  missing: () => absent(join(cache, 'java/fetched')),
};
const go: Runtime = {
  pins: 'go/go.mod',
  missing: () => absent(join(cache, 'go/fetched')),
};
const debian: Runtime = {
  pins: '',
  missing: () =>
    existsSync('/usr/sbin/syslog-ng') ? null : 'install syslog-ng-core and syslog-ng-mod-http',
};

/** The properties of most clients. */
const usual = {
  speaks: 'web',
  always: true,
  retries: true,
  runs: 'to its end',
  feed: 'at once',
  becomes: (text: string) => text,
} as const;
/** GELF has no acknowledgements, so messages are not sent again. */
const gelf = { speaks: 'tcp', retries: false } as const;
const datagrams = { speaks: 'udp', retries: false, feed: 'window' } as const;
/** These clients give up at the first failure. */
const unsafe = { retries: false } as const;
/** The same for clients that also send one request per message, which takes a minute. */
const single = { retries: false, always: false } as const;

type Special = Partial<Omit<Client, 'name' | 'version' | 'runtime' | 'command'>>;

function inPython(name: string, library: string, args: string[], special: Special = {}, venv = '') {
  const { program, ...runtime } = python(venv);
  const [script = '', ...rest] = args;
  return {
    ...usual,
    ...special,
    name: `Python: ${name}`,
    version: pinned(runtime.pins, library),
    runtime,
    command: ({ host, token }: Address) => [
      program,
      join(folder, 'python', script),
      ...rest,
      host,
      token,
    ],
  };
}

function inNode(name: string, library: string, args: string[], special: Special = {}) {
  const [script = '', ...rest] = args;
  return {
    ...usual,
    ...special,
    name: `Node: ${name}`,
    version: pinned(node.pins, library),
    runtime: node,
    command: ({ host, token }: Address) => [
      process.execPath,
      join(folder, 'node', script),
      ...rest,
      host,
      token,
    ],
  };
}

function inJava(name: string, library: string, args: string[], special: Special = {}): Client {
  const classes = join(cache, 'java');
  return {
    ...usual,
    always: false,
    ...special,
    name: `Java: ${name}`,
    version: pinned(java.pins, library),
    runtime: java,
    command: ({ host, token }) => [
      'java',
      '-cp',
      `${classes}/classes:${classes}/*`,
      ...args,
      host,
      token,
    ],
  };
}

function inGo(name: string, library: string, args: string[], special: Special = {}): Client {
  const [program = '', ...rest] = args;
  return {
    ...usual,
    always: false,
    ...special,
    name: `Go: ${name}`,
    version: pinned(go.pins, library),
    runtime: go,
    command: ({ host, token }) => [join(cache, 'go', program), ...rest, host, token],
  };
}

function syslogNg(name: string, driver: string, special: Special = {}): Client {
  return {
    ...usual,
    ...special,
    runs: 'for ever',
    name: `syslog-ng: ${name}`,
    version: 'of Debian',
    runtime: debian,
    command: ({ host, token }) => [
      process.execPath,
      join(folder, 'debian/syslog-ng.mjs'),
      driver,
      host,
      token,
    ],
  };
}

const appender = (file: string) => ['Appender', join(folder, 'java', file)];

const all: readonly Client[] = [
  inPython('elasticsearch 8', 'elasticsearch8', ['elastic.py', '8'], {}, '-elastic8'),
  inPython('elasticsearch 9', 'elasticsearch9', ['elastic.py', '9']),
  inPython('OpenTelemetry over HTTP', 'opentelemetry-sdk', ['otel.py', 'http']),
  inPython('OpenTelemetry over gRPC', 'opentelemetry-sdk', ['otel.py', 'grpc'], { speaks: 'grpc' }),
  inPython('loki-logger-handler', 'loki-logger-handler', handler('loki-logger-handler'), unsafe),
  inPython('python-logging-loki', 'python-logging-loki', handler('python-logging-loki'), single),
  inPython('splunk-handler', 'splunk-handler', handler('splunk-handler')),
  inPython('splunk-hec-handler', 'splunk-hec-handler', handler('splunk-hec-handler'), single),
  inPython('pygelf over TCP', 'pygelf', handler('pygelf'), gelf),
  inPython('graypy over UDP', 'graypy', handler('graypy'), datagrams),
  inNode('elasticsearch 8', '@elastic/elasticsearch8', ['elastic.mjs', '8']),
  inNode('elasticsearch 9', '@elastic/elasticsearch9', ['elastic.mjs', '9']),
  inNode('OpenTelemetry, JSON', '@opentelemetry/exporter-logs-otlp-http', ['otel.mjs', 'http']),
  inNode('OpenTelemetry, protobuf', '@opentelemetry/exporter-logs-otlp-proto', [
    'otel.mjs',
    'proto',
  ]),
  // It treats a refused connection as a permanent failure, and drops the messages.
  inNode(
    'OpenTelemetry over gRPC',
    '@opentelemetry/exporter-logs-otlp-grpc',
    ['otel.mjs', 'grpc'],
    {
      speaks: 'grpc',
      retries: false,
    },
  ),
  inNode('winston-loki', 'winston-loki', ['logger.mjs', 'winston-loki']),
  inNode('pino-loki', 'pino-loki', ['logger.mjs', 'pino-loki'], unsafe),
  inNode('splunk-logging', 'splunk-logging', ['logger.mjs', 'splunk-logging']),
  inNode('gelf-pro over TCP', 'gelf-pro', ['logger.mjs', 'gelf-pro'], gelf),
  // Its values end at NUL.
  syslogNg('elasticsearch-http()', 'elasticsearch', { becomes: beforeNul }),
  syslogNg("http() with Loki's JSON", 'loki'),
  syslogNg('http()', 'http', { becomes: beforeNul }),
  inJava('OpenTelemetry over HTTP', 'opentelemetry-sdk', ['Otel', 'http']),
  inJava('OpenTelemetry over gRPC', 'opentelemetry-sdk', ['Otel', 'grpc'], { speaks: 'grpc' }),
  inJava('Log4j 2, GELF over TCP', 'log4j-core', appender('log4j2-gelf.xml'), gelf),
  inJava('Log4j 2, HTTP appender', 'log4j-core', appender('log4j2-http.xml'), single),
  // It removes carriage returns, and replaces blank texts.
  inJava('Logback, logback-gelf over TCP', 'logback-gelf', appender('logback-gelf.xml'), {
    ...gelf,
    becomes: (text) =>
      text === '' ? 'Blank message replaced by logback-gelf' : text.replaceAll('\r', ''),
  }),
  // It sends again if it could not connect or was refused temporarily, but not if a connection broke during a
  // request.
  inJava('Logback, loki4j', 'loki-logback-appender', appender('logback-loki.xml'), unsafe),
  // It does not retry after a refused connection, only if a response asks for it.
  inGo('OpenTelemetry over HTTP', 'otlploghttp', ['otel', 'http'], unsafe),
  inGo('OpenTelemetry over gRPC', 'otlploggrpc', ['otel', 'grpc'], { speaks: 'grpc' }),
  inGo('go-elasticsearch 9', 'go-elasticsearch/v9', ['elastic']),
  inGo('loki-client-go', 'loki-client-go', ['loki']),
  inGo('go-gelf over UDP', 'go-gelf', ['gelf'], datagrams),
];

/** The clients of every test run or, with `LOGSTEAD_TEST_CLIENTS=all`, all clients. */
export function chosen(): Client[] {
  return all.filter(({ always }) => always || process.env['LOGSTEAD_TEST_CLIENTS'] === 'all');
}

function beforeNul(text: string): string {
  return text.split('\0')[0] ?? '';
}

function handler(name: string): string[] {
  return ['logging_handler.py', name];
}

function absent(path: string): string | null {
  return existsSync(path) ? null : 'not fetched: `npm run clients` fetches it';
}

/** The first version number after a library's name in the file that pins it. */
function pinned(pins: string, library: string): string {
  const [, after = ''] = readFileSync(join(folder, pins), 'utf8').split(library);
  return /\d+\.\d+\.\d+[^\s"<]*/.exec(after)?.[0] ?? 'unknown';
}
