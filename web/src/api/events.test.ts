import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError, listenForSessionLoss } from './client';
import { type EventsState, type EventStream, openEvents, waitFor } from './events';

/** Answers every request as the test defines, and records the requests. */
const asked: { path: string; position: string | null }[] = [];
const answers: (() => Response | Promise<Response>)[] = [];
let server: ReadableStreamDefaultController<Uint8Array> | null = null;
let stream: EventStream;
let states: EventsState[];
let seen: string[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  asked.length = 0;
  answers.length = 0;
  states = [];
  seen = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    asked.push({ path, position: new Headers(init.headers).get('Last-Event-ID') });
    return Promise.resolve((answers.shift() ?? goodAnswer)());
  });
});

afterEach(() => {
  stream.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('events are handed on in order', async () => {
  open();
  await expectState('open');
  send('id: a\ndata: 1\n\nid: b\nda');
  send('ta: 2\n\n');
  await vi.waitFor(() => expect(seen).toEqual(['1', '2']));
  expect(stream.position()).toBe('b');
});

describe('a connection that is lost', () => {
  test('is made again, after the last event', async () => {
    open();
    await expectState('open');
    send('id: a\ndata: 1\n\nid: b\ndata: 2');
    await vi.waitFor(() => expect(seen).toEqual(['1']));
    server?.close();
    await expectState('waiting');
    await vi.runOnlyPendingTimersAsync();
    await expectState('open');
    expect(asked).toEqual([
      { path: '/tail?last=5', position: null },
      { path: '/tail', position: 'a' },
    ]);
  });

  test('is made again at once on request', async () => {
    answers.push(() => Promise.reject(new TypeError('Failed to fetch')));
    open();
    await expectState('waiting');
    stream.retry();
    await expectState('open');
  });

  test('is noticed by its silence', async () => {
    open();
    await expectState('open');
    await vi.advanceTimersByTimeAsync(16_000);
    expect(states.map(({ kind }) => kind)).toContain('waiting');
  });

  test('says since when it is lost, however often it was tried', async () => {
    answers.push(unavailable, unavailable, unavailable);
    open();
    await expectState('waiting');
    const [first] = states.filter(({ kind }) => kind === 'waiting');
    await vi.runOnlyPendingTimersAsync();
    await vi.runOnlyPendingTimersAsync();
    await expectState('waiting');
    const last = states.at(-1);
    expect(last).toMatchObject({ since: first?.kind === 'waiting' ? first.since : null });
  });
});

describe('a refusal', () => {
  test.each([400, 403, 404])('of %i is final', async (status) => {
    answers.push(() => Response.json({ title: 'No', status, detail: 'why' }, { status }));
    open();
    await expectState('refused');
    expect(states.at(-1)).toMatchObject({ problem: { detail: 'why' } });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('can come in the middle of a stream', async () => {
    open();
    await expectState('open');
    send('event: problem\ndata: {"title":"Forbidden","status":403,"detail":"withdrawn"}\n\n');
    await expectState('refused');
  });

  test('for want of a session is reported to listeners', async () => {
    const lost = vi.fn();
    listenForSessionLoss(lost);
    answers.push(() => Response.json({ title: 'Unauthorized', status: 401 }, { status: 401 }));
    open();
    await expectState('refused');
    expect(lost).toHaveBeenCalledOnce();
  });
});

test('a server that stops is waited for', async () => {
  open();
  await expectState('open');
  send('event: problem\ndata: {"title":"Unavailable","status":503,"detail":"stopping"}\n\n');
  await expectState('waiting');
  expect(states.at(-1)).toMatchObject({ problem: { detail: 'stopping' } });
});

test('an answer that is not a stream of events is not taken for one', async () => {
  answers.push(() => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }));
  open();
  await expectState('waiting');
  expect(seen).toEqual([]);
});

test('a closed stream asks for nothing and hands on nothing', async () => {
  open();
  await expectState('open');
  stream.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(states.at(-1)).toEqual({ kind: 'closed' });
  expect(asked).toHaveLength(1);
});

test('waits grow, have an end and are never the same', () => {
  expect(waitFor(0, null, 0)).toBe(250);
  expect(waitFor(0, null, 1)).toBe(500);
  expect(waitFor(3, null, 0)).toBe(2_000);
  expect(waitFor(50, null, 1)).toBe(15_000);
  const busy = new ApiError({ title: 'Unavailable', status: 503 }, 20);
  expect(waitFor(0, busy, 0)).toBe(20_000);
});

function open() {
  stream = openEvents({
    path: (position) => (position === null ? '/tail?last=5' : '/tail'),
    position: null,
    onEvent: ({ data }) => seen.push(data),
    onState: (state) => states.push(state),
  });
}

function goodAnswer(): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (server = controller),
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

function unavailable(): Response {
  return Response.json({ title: 'Unavailable', status: 503 }, { status: 503 });
}

function send(text: string) {
  server?.enqueue(new TextEncoder().encode(text));
}

async function expectState(kind: EventsState['kind']) {
  await vi.waitFor(() => expect(states.at(-1)?.kind).toBe(kind));
}
