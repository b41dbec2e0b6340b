// The client against the real server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  ConnectionFailed,
  IncompleteAnswer,
  Logstead,
  Problem,
  type Logspace,
  type Loss,
  type Message,
} from 'logstead-client';
import { Between, refuse, Server, TOKEN } from './server.js';

const server = new Server();
before(() => server.start());
after(() => server.remove());

/** Each test has a program of its own. */
function program() {
  const name = `p${randomUUID().replaceAll('-', '')}`;
  const numbered = (count: number, first = 0) =>
    Array.from({ length: count }, (_, n) => ({
      message: `m ${first + n}`,
      program: name,
      number: first + n,
    }));
  return { query: `program=${name}`, numbered };
}

async function take(messages: AsyncIterator<Message>, count: number): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < count) {
    const next = await messages.next();
    assert(!next.done);
    texts.push(next.value.message);
  }
  return texts;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const texts = (count: number, first = 0) =>
  Array.from({ length: count }, (_, n) => `m ${first + n}`);

describe('searching', () => {
  test('pages follow each other to the end', async () => {
    const [logs, { query, numbered }] = [server.client(), program()];
    await logs.ingest(numbered(25));
    const found = await all(logs.search({ query, limit: 10, order: 'oldest' }));
    assert.deepEqual(
      found.map(({ message }) => message),
      texts(25),
    );
    const pages = await all(logs.pages({ query, limit: 10, columns: ['number'], order: 'oldest' }));
    assert.deepEqual(
      pages.map(({ rows }) => rows?.length),
      [10, 10, 5],
    );
    assert.deepEqual(pages[2]?.rows?.[4]?.values, ['24']);
    const { count } = await logs.ask('POST /api/v1/count', { body: { query } });
    assert.equal(count, 25);
  });

  test('a refusal is a problem with its name and place', async () => {
    const problem: unknown = await all(server.client().search({ query: '(a' })).catch(
      (error: unknown) => error,
    );
    assert(problem instanceof Problem);
    assert.equal(problem.status, 400);
    assert.equal(problem.kind, 'query-syntax');
    assert.equal(problem.document.column, 1);
    assert.match(problem.message, /request \S+$/);
    const stranger = new Logstead(server.url, { token: 'wrong' });
    await assert.rejects(stranger.ask('GET /api/v1/users'), { status: 401 });
  });
});

describe('sending', () => {
  test('no message is lost or doubled when answers are', async () => {
    const { query, numbered } = program();
    const between = await new Between(server.url).start();
    try {
      // The server stores the first one, but its answer does not arrive.
      between.faults.push(
        (asked) => {
          void forward(asked).finally(() => between.breakAll());
          return true;
        },
        refuse(503, { 'Retry-After': '0' }),
      );
      const logs = new Logstead(between.url, { token: TOKEN, retry: { firstWait: 0.01 } });
      const sent = await logs.ingest(numbered(3));
      assert.equal(sent.accepted, 3);
      assert.equal(between.asked.length, 3);
      const { count } = await server.client().ask('POST /api/v1/count', { body: { query } });
      assert.equal(count, 3);
    } finally {
      between.end();
    }
  });

  async function forward(asked: import('node:http').IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const headers = Object.entries(asked.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const skipped = ['connection', 'host', 'content-length', 'transfer-encoding', 'expect'];
    const answer = await fetch(server.url + (asked.url ?? ''), {
      method: asked.method ?? '',
      headers: headers.filter(([name]) => !skipped.includes(name)),
      body: Buffer.concat(chunks),
    });
    assert.equal(answer.status, 200);
  }

  test('many messages go in several requests, and bad ones are counted', async () => {
    const [logs, { query, numbered }] = [server.client(), program()];
    const sent = await logs.ingest([...numbered(10_500), ['no object']]);
    assert.deepEqual([sent.accepted, sent.rejected], [10_500, 1]);
    assert.equal(sent.errors[0]?.line, 10_501);
    await assert.rejects(logs.ingest([['no object']]), Problem);
    const { count } = await logs.ask('POST /api/v1/count', { body: { query } });
    assert.equal(count, 10_500);
  });

  test('what may have been done is not done again', async () => {
    const between = await new Between(server.url).start();
    try {
      between.faults.push(refuse(503));
      const logs = new Logstead(between.url, { token: TOKEN });
      const create = logs.ask('POST /api/v1/tokens', { body: { name: 'once', role: 'ingest' } });
      await assert.rejects(create, { status: 503 });
      assert.equal(between.asked.length, 1);
      const gone = new Logstead('http://127.0.0.1:1', { retry: { deadline: 0 } });
      await assert.rejects(gone.ask('GET /api/v1/about'), ConnectionFailed);
    } finally {
      between.end();
    }
  });
});

describe('exports', () => {
  test('rows come with the columns that are asked for', async () => {
    const [logs, { query, numbered }] = [server.client(), program()];
    await logs.ingest(numbered(300));
    const rows = await all(
      logs.export<{ number: number }>({ query, columns: ['number'], order: 'oldest' }),
    );
    assert.deepEqual(
      rows.map(({ number }) => number),
      Array.from({ length: 300 }, (_, n) => n),
    );
    assert.equal((await all(logs.export({ query, limit: 7 }))).length, 7);
    assert.deepEqual(await all(logs.export({ query: `${query} nothing` })), []);
  });

  test('an export that was cut is an error', async () => {
    const [logs, { query, numbered }] = [server.client(), program()];
    await logs.ingest(numbered(5));
    const cut = server.client({
      fetch: async (...asked) => {
        const text = await (await fetch(...asked)).text();
        return new Response(text.trimEnd().split('\n').slice(0, -1).join('\n'));
      },
    });
    await assert.rejects(all(cut.export({ query })), IncompleteAnswer);
  });

  test('values that do not fit their column are an error', async () => {
    const [logs, { query, numbered }] = [server.client(), program()];
    await logs.ingest(numbered(5));
    const unfit = '"unfit":[{"column":"status","values":2,"example":"-"}]';
    const between = server.client({
      fetch: async (...asked) => {
        const text = await (await fetch(...asked)).text();
        return new Response(text.replace('"unfit":[]', unfit));
      },
    });
    await assert.rejects(all(between.export({ query })), /status: 2 values do not fit/);
    assert.equal((await all(between.export({ query, partial: true }))).length, 5);
  });
});

describe('tails', () => {
  test('each message comes once across a restart', async () => {
    const own = await new Server().start();
    try {
      const [logs, { query, numbered }] = [own.client(), program()];
      await logs.ingest(numbered(5));
      const tail = logs.tail({ query, last: 2 }, { retry: { firstWait: 0.05 } });
      const messages = tail[Symbol.asyncIterator]();
      assert.deepEqual(await take(messages, 2), texts(2, 3));
      await logs.ingest(numbered(100, 5));
      assert.deepEqual(await take(messages, 100), texts(100, 5));
      const next = take(messages, 10);
      await own.end();
      await own.start();
      await logs.ingest(numbered(10, 105));
      assert.deepEqual(await next, texts(10, 105));
      await messages.return();
      assert.notEqual(tail.position, undefined);
    } finally {
      await own.remove();
    }
  });

  test('a broken connection repeats and skips nothing', async () => {
    const [logs, { query, numbered }] = [server.client(), program()];
    const between = await new Between(server.url).start();
    const losses: Loss[] = [];
    try {
      await logs.ingest(numbered(1));
      const through = new Logstead(between.url, { token: TOKEN });
      const options = { retry: { firstWait: 0.01 }, onLoss: (loss: Loss) => losses.push(loss) };
      const messages = through.tail({ query, last: 1 }, options)[Symbol.asyncIterator]();
      assert.deepEqual(await take(messages, 1), ['m 0']);
      for (let number = 1; number < 10; number += 1) {
        await logs.ingest(numbered(1, number));
        assert.deepEqual(await take(messages, 1), [`m ${number}`]);
        if (number % 3 === 0) between.breakAll();
        if (number === 6) between.faults.push(refuse(503));
      }
      await messages.return();
      assert(between.asked.length >= 4);
      assert.deepEqual(losses, []);
    } finally {
      between.end();
    }
  });

  test('a sampled tail says what it lost', async () => {
    const own = await new Server(['limits.tail_rate_max=10']).start();
    try {
      const [logs, { query, numbered }] = [own.client(), program()];
      const enough = new AbortController();
      const sending = (async () => {
        while (!enough.signal.aborted) await logs.ingest(numbered(100));
      })();
      const onLoss = ({ messages = 0, reason }: Loss) => {
        if (messages > 0) enough.abort(new Error(reason));
      };
      const followed = all(logs.tail({ query }, { onLoss, signal: enough.signal }));
      await assert.rejects(followed, /one in \d+ is shown/);
      await sending;
    } finally {
      await own.remove();
    }
  });

  test('what is wrong for good ends a tail, and so does its signal', async () => {
    await assert.rejects(all(server.client().tail({ query: '(a' })), { status: 400 });
    const aborted = AbortSignal.abort(new Error('enough'));
    await assert.rejects(all(server.client().tail({}, { signal: aborted })), /enough/);
  });
});

test('the router document is read and applied', async () => {
  const own = await new Server().start();
  try {
    const logs = own.client();
    const { data, headers } = await logs.answer('GET /api/v1/router');
    const added: Logspace = { id: 'new', durability: 'fsync', retention: {} };
    const body = { ...data, logspaces: [...(data.logspaces ?? []), added] };
    const put = (etag: string) =>
      logs.ask('PUT /api/v1/router', { body, headers: { 'If-Match': etag } });
    const change = await put(headers.get('ETag') ?? '');
    assert.equal(change.revision, 2);
    await assert.rejects(put(headers.get('ETag') ?? ''), { status: 412 });
    const text = await logs.ask('GET /api/v1/router', { headers: { Accept: 'application/toml' } });
    assert.match(String(text), /^\[\[logspaces\]\]$/m);
  } finally {
    await own.remove();
  }
});

describe('the examples of the reference', () => {
  const reference = resolve(import.meta.dirname, '../../../../docs/reference');

  async function output(program: string, ...args: string[]): Promise<string> {
    const own = await new Server().start();
    const home = mkdtempSync(join(tmpdir(), 'logstead-curl-'));
    writeFileSync(join(home, '.curlrc'), 'fail-with-body\nsilent\n');
    try {
      const environment = { LOGSTEAD_SERVER: own.url, LOGSTEAD_TOKEN: TOKEN, CURL_HOME: home };
      const env = { ...process.env, ...environment };
      const { stdout } = await promisify(execFile)(program, args, { env });
      return stdout;
    } finally {
      rmSync(home, { recursive: true });
      await own.remove();
    }
  }

  test('TypeScript', async () => {
    const told = await output(
      process.execPath,
      resolve(import.meta.dirname, '../examples/reference.js'),
    );
    assert.equal(told, readFileSync(join(reference, 'examples.txt'), 'utf8'));
  });

  test('curl', async () => {
    const told = await output('sh', '-eu', join(reference, 'examples.sh'));
    assert.match(told, /"accepted":2/);
    assert.match(told, /"action":"user.create"/);
  });
});
