// The real server, on a free port, with a data folder of its own; and a server in front of it that breaks things.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AddressInfo } from 'node:net';
import { Logstead, type LogsteadOptions } from 'logstead-client';

export const TOKEN = 'typescript-administrator-token';
const ROUTER = `version = 1
[[sources]]
id = "http"
kind = "http"
[[logspaces]]
id = "main"
[[routes]]
id = "default"
to = ["main"]
`;

export class Server {
  url = '';
  private child: ChildProcess | undefined;
  private listen = '127.0.0.1:0';
  private readonly folder = mkdtempSync(join(tmpdir(), 'logstead-typescript-'));

  constructor(private readonly settings: readonly string[] = []) {}

  async start(): Promise<this> {
    const binary = process.env['LOGSTEAD'] ?? '';
    assert(existsSync(binary), 'name the server in LOGSTEAD');
    const router = join(this.folder, 'router.toml');
    writeFileSync(router, ROUTER);
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('LOGSTEAD_'));
    const args = ['serve', '--data', join(this.folder, 'data'), '--router', router];
    const settings = [`web.listen=${this.listen}`, ...this.settings];
    this.child = spawn(binary, [...args, ...settings.flatMap((one) => ['--set', one])], {
      env: {
        ...Object.fromEntries(own),
        LOGSTEAD_CONFIG: '/dev/null',
        LOGSTEAD_ADMIN_TOKEN: TOKEN,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    assert(this.child.stdout);
    for await (const line of createInterface(this.child.stdout)) {
      const ready = /^ready: console (\S+)/.exec(line);
      if (ready?.[1] === undefined) continue;
      this.url = ready[1];
      this.listen = this.url.slice('http://'.length); // after a restart, too
      this.child.stdout.resume();
      return this;
    }
    throw new Error('the server ended before it was ready');
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.child?.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true });
  }

  client(options: LogsteadOptions = {}): Logstead {
    return new Logstead(this.url, { token: TOKEN, ...options });
  }
}

/** Answers a request in place of the server and returns true, or returns false. */
export type Fault = (asked: IncomingMessage, answer: ServerResponse) => boolean;

/** Passes requests on to a server, but for those that the next fault handles. */
export class Between {
  url = '';
  readonly faults: Fault[] = [];
  readonly asked: IncomingMessage[] = [];
  private readonly own = createServer((asked, answer) => {
    this.asked.push(asked);
    if (this.faults.shift()?.(asked, answer)) return;
    const { method, url, headers } = asked;
    const passed = request(this.target + (url ?? ''), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 0, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });

  constructor(private readonly target: string) {}

  async start(): Promise<this> {
    this.own.listen(0, '127.0.0.1');
    await once(this.own, 'listening');
    this.url = `http://127.0.0.1:${(this.own.address() as AddressInfo).port}`;
    return this;
  }

  /** Breaks every open connection. */
  breakAll(): void {
    this.own.closeAllConnections();
  }

  end(): void {
    this.own.close();
    this.breakAll();
  }
}

export function refuse(status: number, headers: Record<string, string> = {}): Fault {
  return (_, answer) => {
    answer.writeHead(status, headers).end('{}');
    return true;
  };
}
