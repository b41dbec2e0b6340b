// Keywords: client libraries, Go, Python, Java, Node
import { expect, test as base } from '@playwright/test';
import { Logstead } from '../server';
import { chosen, type Address, type Client } from './clients';
import { freePort } from './ports';
import { Sender } from './sender';
import { counted, texts } from './texts';

/**
 * Real clients, as their projects publish them. What each of them is told to send arrives once and equal; and if the
 * server is killed meanwhile, those that send again lose nothing.
 */

/** The messages at which the server is killed and at which it is back. */
const [KILLED, BACK] = [4000, 6000];
/** Maximum number of messages in flight to a socket that drops those that do not fit. */
const WINDOW = 200;

/** A server and a client that sends to it; both are stopped after the test, however it ends. */
const test = base.extend<{ start: (client: Client) => Promise<Running> }>({
  start: async ({}, use) => {
    const running: Running[] = [];
    await use(async (client) => {
      const started = await start(client);
      running.push(started);
      return started;
    });
    for (const { logstead, sender } of running) {
      await sender.kill();
      await logstead.stop();
    }
  },
});

interface Running {
  logstead: Logstead;
  sender: Sender;
}

test.describe.configure({ timeout: 5 * 60_000 });

for (const client of chosen()) {
  test.describe(client.name, () => {
    test.beforeEach(({}, { annotations }) => {
      const missing = client.runtime.missing();
      test.skip(missing !== null, `${client.name}: ${missing ?? ''}`);
      annotations.push({ type: 'version', description: client.version });
    });

    const expected = counted(texts.flatMap((text) => client.becomes(text) ?? []));

    test('what it sends arrives once and equal', async ({ start }) => {
      const { logstead, sender } = await start(client);
      if (client.feed === 'window') await feedByWindow(client, logstead, sender);
      else await sender.feed(texts);
      await ends(client, logstead, sender);
      expect(difference(counted(await logstead.texts()), expected)).toEqual([]);
    });

    if (client.retries) {
      test('nothing is missing when the server is killed meanwhile', async ({ start }, {
        annotations,
      }) => {
        const { logstead, sender } = await start(client);
        await sender.feed(texts.slice(0, KILLED));
        await expect.poll(() => logstead.count('*'), within).toBeGreaterThan(0);
        const feeding = sender.feed(texts.slice(KILLED, BACK));
        await logstead.kill();
        await logstead.restart();
        await feeding;
        await sender.feed(texts.slice(BACK));
        await ends(client, logstead, sender);
        await expect
          .poll(async () => missing(await logstead.texts(), expected), within)
          .toEqual([]);
        const found = counted(await logstead.texts());
        const others = [...found].filter(([text]) => !expected.has(text));
        expect(others.map(shown)).toEqual([]);
        const twice = sum(found) - sum(expected);
        annotations.push({ type: 'stored twice', description: String(twice) });
        console.log(`${client.name} ${client.version}: killed, ${twice} of ${sum(expected)} twice`);
      });
    }
  });
}

const within = { timeout: 60_000 };

async function start(client: Client): Promise<Running> {
  const port = await freePort();
  const logstead = await Logstead.start({ router: router(client.speaks, port) });
  const web = new URL(logstead.url('/'));
  const host = {
    web: web.host,
    udp: `127.0.0.1:${port}`,
    tcp: `127.0.0.1:${port}`,
    grpc: `127.0.0.1:${port}`,
  };
  const address: Address = { host: host[client.speaks], token: logstead.token };
  return { logstead, sender: new Sender(client.command(address)) };
}

/**
 * A router document with a source for the client's protocol besides the web listener. Its port
 * stays the same after a kill.
 */
function router(speaks: Client['speaks'], port: number): string {
  const kind = speaks === 'grpc' ? 'otlp' : 'gelf';
  const other =
    speaks === 'web'
      ? ''
      : `[[sources]]\nid = "other"\nkind = "${kind}"\nlisten = ["${speaks}://127.0.0.1:${port}"]`;
  return `
version = 1

[[sources]]
id = "http"
kind = "http"

${other}

[[logspaces]]
id = "main"

[[routes]]
id = "default"
to = ["main"]
`;
}

/**
 * Sends datagrams no faster than there is room for them: one that finds no room is lost, which is
 * nobody's fault.
 */
async function feedByWindow(client: Client, logstead: Logstead, sender: Sender): Promise<void> {
  let stored = 0;
  for (let from = 0; from < texts.length; from += WINDOW) {
    const part = texts.slice(from, from + WINDOW);
    await sender.feed(part);
    stored += part.filter((text) => client.becomes(text) !== null).length;
    await expect.poll(() => logstead.count('*'), within).toBeGreaterThanOrEqual(stored);
  }
}

/**
 * A program ends when it has sent everything; one that runs for ever is stopped when everything has
 * arrived.
 */
async function ends(client: Client, logstead: Logstead, sender: Sender): Promise<void> {
  if (client.runs === 'to its end') {
    expect(await sender.finish(), sender.output.slice(-4000)).toBe(0);
  }
  const expected = texts.filter((text) => client.becomes(text) !== null).length;
  await expect
    .poll(() => logstead.count('*'), { ...within, message: sender.output.slice(-4000) })
    .toBeGreaterThanOrEqual(expected);
}

function missing(found: string[], expected: Map<string, number>): string[] {
  const counts = counted(found);
  return [...expected]
    .filter(([text, count]) => (counts.get(text) ?? 0) < count)
    .map(shown)
    .slice(0, 20);
}

function difference(found: Map<string, number>, expected: Map<string, number>): string[] {
  const names = new Set([...found.keys(), ...expected.keys()]);
  const others = [...names].filter((text) => found.get(text) !== expected.get(text));
  return others
    .map(
      (text) => `${found.get(text) ?? 0} instead of ${expected.get(text) ?? 0}: ${shown([text])}`,
    )
    .slice(0, 20);
}

function shown([text]: [string, ...unknown[]]): string {
  return `${JSON.stringify(text.slice(0, 100))} (${text.length})`;
}

function sum(counts: Map<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
