import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { recordAnswer } from './record';

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));
/** The binary, which is also the one that `npm start` runs. */
export const binary = process.env['LOGSTEAD'] ?? join(root, 'target/quick/logstead');

export const admin = { name: 'admin', password: 'correct horse battery' };
const administratorToken = 'e2e-administrator-token';
const NEWLINE = Buffer.from('\n');

/** Two logspaces, so that a route has another place to send messages to. */
export const defaultRouter = `
version = 1

[[sources]]
id = "syslog"
kind = "syslog"
listen = ["udp://127.0.0.1:0", "tcp://127.0.0.1:0"]

[[sources]]
id = "http"
kind = "http"

[[logspaces]]
id = "main"
retention = { age = "90d" }

[[logspaces]]
id = "security"
retention = { age = "90d" }

[[routes]]
id = "default"
to = ["main"]
`;

export interface Options {
  /** The router document with which the data directory starts. */
  router?: string;
  /** Whether an administrator exists from the start; if not, the server prints a set-up code. */
  administrator?: boolean;
  /** A settings file. */
  config?: string;
  /** Settings of the server: `limits.tail_rate_max=100`. */
  settings?: readonly string[];
}

/** A table produced by stages. */
export interface Table {
  columns: { name: string }[];
  rows: (string | number | null)[][];
}

export interface Account {
  name: string;
  role: 'admin' | 'operator' | 'analyst';
  password: string;
  logspaces?: readonly string[];
  scope?: string;
}

export interface ValueCount {
  value: string;
  count: number;
}

/** A route of the router document. */
export interface Route {
  id: string;
  where?: string;
  steps?: Record<string, unknown>[];
}

export interface Suggestion {
  label: string;
  count?: number;
}

export interface Message {
  id: string;
  time: string;
  host: string | null;
  program: string | null;
  message: string;
  logspace: string;
}

/** The real binary on free ports, with a data directory of its own that outlives `kill` and `restart`. */
export class Logstead {
  /** Everything that the server printed. */
  output = '';
  /** The token with which programs have all rights. */
  readonly token = administratorToken;
  private origin = '';
  /**
   * The address at which the console listens: after a restart it uses the same port, as a service
   * does.
   */
  private listen = '127.0.0.1:0';
  private listeners: URL[] = [];
  private child: ChildProcess | undefined;
  private readonly senders: ChildProcess[] = [];

  private constructor(
    private readonly directory: string,
    private readonly options: Options,
  ) {}

  static async start(options: Options = {}): Promise<Logstead> {
    const directory = await mkdtemp(join(tmpdir(), 'logstead-e2e-'));
    await writeFile(join(directory, 'router.toml'), options.router ?? defaultRouter);
    await writeFile(join(directory, 'logstead.toml'), options.config ?? '');
    const server = new Logstead(directory, options);
    await server.launch();
    return server;
  }

  url(path: string): string {
    return this.origin + path;
  }

  /** The one-time code of the first start. */
  get setupCode(): string {
    const code = /one-time code (\S+)/.exec(this.output)?.[1];
    if (code === undefined) throw new Error(`no set-up code was printed:\n${this.output}`);
    return code;
  }

  /** Sends messages over one connection, which is closed when all are written. */
  async sendTcp(...messages: (string | Uint8Array)[]): Promise<void> {
    const { hostname, port } = this.listener('tcp:');
    const socket = connect(Number(port), hostname);
    socket.end(Buffer.concat(messages.flatMap((message) => [Buffer.from(message), NEWLINE])));
    socket.resume();
    await once(socket, 'close');
  }

  async sendUdp(message: string): Promise<void> {
    const { hostname, port } = this.listener('udp:');
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.send(message, Number(port), hostname, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    socket.close();
  }

  listener(protocol: 'tcp:' | 'udp:'): URL {
    const found = this.listeners.find((url) => url.protocol === protocol);
    if (!found) throw new Error(`no ${protocol} listener:\n${this.output}`);
    return found;
  }

  /** Resolves when the lines are durable. */
  async ingest(lines: string[], logspace?: string): Promise<void> {
    const path = logspace ? `/ingest?logspace=${logspace}` : '/ingest';
    await this.api('POST', path, lines.join('\n'), 'text/plain');
  }

  async search(query: string): Promise<Message[]> {
    const answer = await this.post<{ messages: Message[] }>('/search', { query });
    return answer.messages;
  }

  async count(query: string): Promise<number> {
    const answer = await this.post<{ count: number }>('/count', { query });
    return answer.count;
  }

  /** The texts of all messages, in any order. */
  async texts(): Promise<string[]> {
    const response = await this.api('GET', '/export?query=*&format=ndjson');
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as Message).message);
  }

  /** How often each value of a field occurs, most frequent first. */
  async values(field: string, query = '*'): Promise<ValueCount[]> {
    const answer = await this.post<{ fields: Record<string, { values: ValueCount[] }> }>(
      '/facets',
      { query, fields: [field] },
    );
    return answer.fields[field]?.values ?? [];
  }

  /** The suggestions for the end of a query. */
  async complete(query: string): Promise<Suggestion[]> {
    const answer = await this.post<{ options: Suggestion[] }>('/complete', { query });
    return answer.options;
  }

  /** The number of messages in full journal files that are not in a segment yet. */
  async unsealed(): Promise<number> {
    const response = await this.api('GET', '/logspaces');
    const { logspaces } = (await response.json()) as {
      logspaces: { unsealed: { messages: number } }[];
    };
    return logspaces.reduce((sum, { unsealed }) => sum + unsealed.messages, 0);
  }

  /** The live router document. */
  async routerDocument(): Promise<{ routes: Route[] }> {
    const response = await this.api('GET', '/router');
    return (await response.json()) as { routes: Route[] };
  }

  /** Makes a document live. */
  async putRouter(toml: string): Promise<void> {
    const { headers } = await this.api('GET', '/router');
    const revision = { 'If-Match': headers.get('ETag') ?? '' };
    await this.api('PUT', '/router', toml, 'application/toml', revision);
  }

  async aggregate(query: string): Promise<Table> {
    return this.post<Table>('/aggregate', { query });
  }

  async addUser(account: Account): Promise<void> {
    await this.post('/users', account);
  }

  /** The secret of a token that may send. */
  async makeToken(name: string): Promise<string> {
    const { token } = await this.post<{ token: string }>('/tokens', { name, role: 'ingest' });
    return token;
  }

  /** Sends messages with our own load generator, over TCP; resolves when all are sent. */
  async loadgen(number: number, ...options: string[]): Promise<void> {
    const child = this.startLoadgen('--number', String(number), ...options);
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`loadgen ended with ${String(code)}`);
  }

  /** The load generator, which runs until it is done or killed. */
  startLoadgen(...options: string[]): ChildProcess {
    const { host } = this.listener('tcp:');
    const child = spawn(binary, ['loadgen', `tcp://${host}`, '--quiet', ...options], {
      stdio: 'ignore',
    });
    this.senders.push(child);
    return child;
  }

  /** Kills the process like the operating system does: no flush, no clean shutdown. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.end('SIGTERM');
    await this.launch();
  }

  async stop(): Promise<void> {
    for (const sender of this.senders) sender.kill();
    await this.end('SIGTERM');
    await rm(this.directory, { recursive: true, force: true });
  }

  private async post<T>(path: string, body: unknown): Promise<T> {
    const response = await this.api('POST', path, JSON.stringify(body), 'application/json');
    return (await response.json()) as T;
  }

  private async api(
    method: string,
    path: string,
    body: string | null = null,
    type = 'application/json',
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(this.url(`/api/v1${path}`), {
      method,
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': type, ...headers },
      body,
    });
    const media = response.headers.get('content-type') ?? '';
    const answer = { method, path: new URL(response.url).pathname, status: response.status, media };
    recordAnswer({ ...answer, body: await response.clone().text(), whole: true });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** Resolves when the server has printed the addresses of its console and its listeners. */
  private async launch(): Promise<void> {
    this.listeners = [];
    const args = ['serve', '--data', join(this.directory, 'data')];
    args.push('--router', join(this.directory, 'router.toml'));
    args.push('--config', join(this.directory, 'logstead.toml'));
    const settings = [`web.listen=${this.listen}`, ...(this.options.settings ?? [])];
    args.push(...settings.flatMap((setting) => ['--set', setting]));
    const child = spawn(binary, args, { env: { ...foreignEnvironment(), ...this.credentials() } });
    this.child = child;
    child.stderr.on('data', (text: Buffer) => (this.output += text.toString()));

    await new Promise<void>((resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        this.output += `${line}\n`;
        this.read(line);
        if (line.startsWith(this.lastLine)) resolve();
      });
      child.on('error', reject);
      child.on('exit', (code) => {
        reject(new Error(`logstead ended with ${String(code)}:\n${this.output}`));
      });
    });
  }

  /** The beginning of the last line that the server prints at startup. */
  private get lastLine(): string {
    return this.options.administrator === false ? 'setup: ' : 'ready: ';
  }

  private read(line: string): void {
    const console = /^ready: console (\S+)/.exec(line)?.[1];
    if (console !== undefined) {
      this.origin = console;
      this.listen = new URL(console).host;
    }
    const listener = /^listening: \S+ (\S+)/.exec(line)?.[1];
    if (listener !== undefined) this.listeners.push(new URL(listener));
  }

  private credentials(): Record<string, string> {
    if (this.options.administrator === false) return {};
    return { LOGSTEAD_ADMIN_PASSWORD: admin.password, LOGSTEAD_ADMIN_TOKEN: this.token };
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = undefined;
    this.origin = '';
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

/**
 * The environment without the variables that Logstead would read, so that only the test configures
 * its server.
 */
function foreignEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(LOGSTEAD_|SSL_CERT_)|_proxy$/i.test(name) && name !== 'CREDENTIALS_DIRECTORY',
  );
  // The settings file of an installation is not read either.
  return { ...Object.fromEntries(entries), LOGSTEAD_CONFIG: '/dev/null' };
}
