import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message } from '../api/model';
import { sample } from '../ui/message/sample';
import { LINES_MAX } from './buffer';
import { Tail } from './tail';

/** A server that has the messages `stored` and sends those after the requested position. */
let stored: Message[];
let server: ReadableStreamDefaultController<Uint8Array> | null;
let positions: (string | null)[];
let tail: Tail;
let matches: number;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime('2026-01-02T12:00:00Z');
  stored = [];
  server = null;
  positions = [];
  matches = 0;
  vi.stubGlobal('fetch', (_: string, { headers, signal }: RequestInit) => {
    const position = new Headers(headers).get('Last-Event-ID');
    positions.push(position);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        server = controller;
        signal?.addEventListener('abort', () => {
          if (server === controller) server = null;
        });
        send(position === null ? stored.length : Number(position));
      },
    });
    const answer = { 'Content-Type': 'text/event-stream', Date: new Date().toUTCString() };
    return Promise.resolve(new Response(body, { headers: answer }));
  });
  tail = new Tail({ query: '', logspaces: [] });
  tail.listen((messages) => (matches += messages.length));
  tail.start();
});

afterEach(() => {
  tail.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('what is stored is shown, once and in order', async () => {
  await store(3);
  await store(2);
  expect(shown()).toEqual(['1', '2', '3', '4', '5']);
  expect(matches).toBe(5);
});

test('what comes while one reads waits, and is there afterwards', async () => {
  await store(2);
  tail.follow(false);
  await store(2);
  expect(shown()).toEqual(['1', '2']);
  expect(tail.look().waiting).toBe(2);
  tail.follow(true);
  await settle();
  expect(shown()).toEqual(['1', '2', '3', '4']);
  expect(tail.look().waiting).toBe(0);
});

describe('a pause', () => {
  test('that is short holds back what comes', async () => {
    await store(1);
    tail.pause(true);
    await store(2);
    expect(shown()).toEqual(['1']);
    tail.pause(false);
    await settle();
    expect(shown()).toEqual(['1', '2', '3']);
    expect(positions).toEqual([null]);
  });

  test('that is long waits at the server, and loses nothing that is kept', async () => {
    await store(1);
    tail.pause(true);
    while (tail.look().connection.kind === 'open') await store(500);
    expect(tail.look().waiting).toBeLessThanOrEqual(LINES_MAX);
    const seen = tail.look().waiting;
    await store(300);
    expect(tail.look().waiting).toBe(seen);
    tail.pause(false);
    await settle();
    expect(positions).toEqual([null, String(1 + seen)]);
    const last = stored.slice(-shown().length).map(({ id }) => id);
    expect(shown()).toEqual(last);
    expect(shown().length + tail.look().fellOut).toBe(stored.length);
    expect(notes()).toEqual([expect.objectContaining({ kind: 'paused', refilled: 300 })]);
  });

  test('goes on while one reads', async () => {
    tail.follow(false);
    tail.pause(true);
    await store(1);
    tail.pause(false);
    await settle();
    expect(shown()).toEqual([]);
    expect(tail.look().waiting).toBe(1);
  });
});

test('a lost connection is refilled, and a note says so', async () => {
  await store(2);
  server?.close();
  server = null;
  await settle();
  expect(notes()).toEqual([expect.objectContaining({ kind: 'disconnected', until: null })]);
  await store(3);
  await vi.advanceTimersByTimeAsync(2_000);
  await store(1);
  expect(shown()).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(notes()).toHaveLength(1);
  expect(notes()[0]).toMatchObject({ refilled: 3 });
});

test('a gap is shown where messages are missing', async () => {
  await store(1);
  server?.enqueue(encode('gap', '9', { messages: 7, reason: 'expired' }));
  await settle();
  expect(notes()).toEqual([{ kind: 'gap', messages: 7, reason: 'expired' }]);
});

test('rates are what the server says, and nothing when it says nothing', async () => {
  const status = { received: 80, matched: 4, shown: 4, sampled_one_in: null, behind: 0 };
  server?.enqueue(encode('status', '0', { ...status, received: 0, matched: 0, last_match: null }));
  await vi.advanceTimersByTimeAsync(1_000);
  server?.enqueue(encode('status', '0', { ...status, last_match: '2026-01-02T11:00:00Z' }));
  await vi.advanceTimersByTimeAsync(1_100);
  expect(tail.look().meter).toMatchObject({
    matched: 4,
    received: 80,
    lastMatchAt: Date.parse('2026-01-02T11:00:00Z'),
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(tail.look().meter).toMatchObject({ matched: null, received: null });
});

test('nothing is left after it was cleared, and what comes next is shown', async () => {
  await store(2);
  tail.clear();
  await settle();
  expect(shown()).toEqual([]);
  await store(1);
  expect(shown()).toEqual(['3']);
});

async function store(count: number) {
  const from = stored.length;
  const received = new Date().toISOString();
  for (let at = 1; at <= count; at += 1) {
    stored.push(sample({ id: String(from + at), received }));
  }
  send(from);
  await settle();
}

function send(from: number) {
  const messages = stored.slice(from);
  if (messages.length > 0) server?.enqueue(encode('messages', String(stored.length), { messages }));
}

function encode(name: string, id: string, data: unknown): Uint8Array {
  return new TextEncoder().encode(`event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Waits until everything that was sent is in the view. */
async function settle() {
  await vi.advanceTimersByTimeAsync(50);
}

function shown(): string[] {
  return tail.look().lines.flatMap((line) => (line.kind === 'message' ? [line.message.id] : []));
}

function notes() {
  return tail.look().lines.flatMap((line) => (line.kind === 'note' ? [line.note] : []));
}
