import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listenForStored } from './changes';

type Stream = { onState: (state: { kind: string }) => void; onEvent: (event: object) => void };

const opened = vi.hoisted(() => ({ streams: [] as Stream[], closed: 0 }));
vi.mock('./events', () => ({
  openEvents: (options: Stream) => {
    opened.streams.push(options);
    return { close: () => (opened.closed += 1) };
  },
}));

function show(state: DocumentVisibilityState) {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
  document.dispatchEvent(new Event('visibilitychange'));
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  show('visible');
  opened.streams.length = 0;
  opened.closed = 0;
});

test('all who listen share a connection, which ends with the last of them', () => {
  const [first, second] = [vi.fn(), vi.fn()];
  const stops = [listenForStored(first), listenForStored(second)];
  vi.runAllTimers();
  expect(opened.streams).toHaveLength(1);
  opened.streams[0]?.onState({ kind: 'open' });
  opened.streams[0]?.onEvent({ name: 'stored' });
  opened.streams[0]?.onEvent({ name: 'unknown' });
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([2, 2]);
  stops[0]?.();
  vi.runAllTimers();
  expect(opened.closed).toBe(0);
  stops[1]?.();
  vi.runAllTimers();
  expect(opened.closed).toBe(1);
});

test('a page that nobody sees has no connection, and makes one when it is seen again', () => {
  const stop = listenForStored(vi.fn());
  vi.runAllTimers();
  show('hidden');
  expect(opened).toMatchObject({ closed: 1, streams: [expect.anything()] });
  show('visible');
  expect(opened.streams).toHaveLength(2);
  stop();
});

test('who listens in the place of another keeps the connection, and asks for what was not heard', () => {
  const stop = listenForStored(vi.fn());
  vi.runAllTimers();
  opened.streams[0]?.onState({ kind: 'open' });
  const next = vi.fn();
  stop();
  const stopNext = listenForStored(next);
  vi.runAllTimers();
  expect([opened.streams.length, opened.closed]).toEqual([1, 0]);
  expect(next).toHaveBeenCalledTimes(1);
  stopNext();
});
