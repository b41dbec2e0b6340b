// Keywords: documentation examples, client libraries
import { expect, test } from '@playwright/test';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from './ports';
import { Logstead, root } from '../server';
import { Sender } from './sender';

/**
 * The programs in Python and Node that `docs/agents.md` shows, run as they stand there: each ends by itself, without an
 * error, and its message is stored with the name of its service. The configurations of other programs on that page run
 * in `server/tests/peers/documents.rs`.
 */

const page = readFileSync(join(root, 'docs/agents.md'), 'utf8');
const cache = join(root, '.cache/clients');
const python = { program: join(cache, 'python/bin/python'), file: 'shown.py' };
// `require` looks for modules next to the program.
const node = {
  program: process.execPath,
  file: join(root, 'e2e/clients/node/node_modules/shown'),
};

const shown = [
  { agent: 'Python', block: 0, by: python, finds: 'program=shop hello' },
  // The block creates a handler; the line that logs a message is added for the test.
  {
    agent: 'Python',
    block: 1,
    by: python,
    finds: 'program=shop hello',
    then: 'logging.warning("hello")',
  },
  { agent: 'Python', block: 2, by: python, finds: 'hello', then: 'logging.warning("hello")' },
  { agent: 'Node', block: 0, by: node, finds: 'program=shop severity=info hello' },
] as const;

for (const { agent, block, by, finds, ...rest } of shown) {
  test(`${agent}, block ${block + 1}: the program on the page sends what is found`, async () => {
    const isFetched = existsSync(by.program) && (by === python || existsSync(dirname(by.file)));
    test.skip(!isFetched, `${agent}: not fetched: \`npm run clients\` fetches it`);
    const ports = { gelf: await freePort(), udp: await freePort() };
    const logstead = await Logstead.start({ router: router(ports) });
    const folder = await mkdtemp(join(tmpdir(), 'logstead-shown-'));
    const file = by.file.startsWith('/') ? `${by.file}-${process.pid}.cjs` : join(folder, by.file);
    await writeFile(
      file,
      `${filled(code(agent, block), logstead, ports)}\n${'then' in rest ? rest.then : ''}\n`,
    );
    const sender = new Sender([by.program, file]);
    try {
      expect(await sender.finish(), sender.output).toBe(0);
      expect(sender.output).not.toMatch(/Error|Exception|Traceback/);
      await expect.poll(() => logstead.count(finds), { message: sender.output }).toBe(1);
    } finally {
      await sender.kill();
      await logstead.stop();
      await rm(file, { force: true });
      await rm(folder, { recursive: true });
    }
  });
}

/** A fenced code block in a section. */
function code(agent: string, block: number): string {
  const section = page.split(`\n### ${agent}\n`)[1]?.split('\n### ')[0] ?? '';
  const found = [...section.matchAll(/^```\w*\n([^]*?)\n```$/gm)][block]?.[1];
  if (found === undefined) throw new Error(`docs/agents.md has no block ${block} for ${agent}`);
  return found;
}

function filled(text: string, logstead: Logstead, ports: { gelf: number; udp: number }): string {
  const values: Record<string, string> = {
    'logs.example': '127.0.0.1',
    '8080': new URL(logstead.url('/')).port,
    '12201': String(ports.gelf),
    '5514': String(ports.udp),
    TOKEN: logstead.token,
  };
  return text.replaceAll(/logs\.example|8080|12201|5514|TOKEN/g, (name) => values[name] ?? name);
}

function router(ports: { gelf: number; udp: number }): string {
  return `
version = 1
[[sources]]
id = "http"
kind = "http"
[[sources]]
id = "syslog"
kind = "syslog"
listen = ["udp://127.0.0.1:${ports.udp}"]
[[sources]]
id = "gelf"
kind = "gelf"
listen = ["tcp://127.0.0.1:${ports.gelf}"]
[[logspaces]]
id = "main"
[[routes]]
id = "default"
to = ["main"]
`;
}
