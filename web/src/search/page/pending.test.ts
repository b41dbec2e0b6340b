import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HOLD_MS, SIGN_MS, createPending } from './pending';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function setUp() {
  const shown: string[] = [];
  const late: string[] = [];
  const waits: boolean[] = [];
  const hold = createPending<string>(
    (isWaiting) => waits.push(isWaiting),
    (next, isLate) => (isLate ? late : shown).push(next),
  );
  return { hold, shown, late, waits };
}

function answer() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const never = new Promise(() => undefined);

test('what is asked for is shown when its answer is there', async () => {
  const { hold, shown, waits } = setUp();
  const { promise, resolve } = answer();
  hold.begin('a', promise);
  await vi.advanceTimersByTimeAsync(HOLD_MS - 1);
  expect([shown, waits, hold.next]).toEqual([[], [true], 'a']);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect([shown, waits, hold.next]).toEqual([['a'], [true, false], null]);
});

test('it is shown once, and after a moment without an answer', async () => {
  const { hold, shown, late } = setUp();
  const { promise, resolve } = answer();
  hold.begin('a', promise);
  await vi.advanceTimersByTimeAsync(HOLD_MS);
  resolve();
  await vi.advanceTimersByTimeAsync(HOLD_MS);
  expect([shown, late]).toEqual([[], ['a']]);
});

test('an answer that comes at once shows no sign of a wait before it', async () => {
  const { hold, waits } = setUp();
  const { promise, resolve } = answer();
  hold.begin('a', promise);
  await vi.advanceTimersByTimeAsync(SIGN_MS - 1);
  resolve();
  await vi.advanceTimersByTimeAsync(HOLD_MS);
  expect(waits).toEqual([false]);
});

test('a failure is shown like an answer', async () => {
  const { hold, shown } = setUp();
  hold.begin('a', Promise.reject(new Error('away')));
  await vi.advanceTimersByTimeAsync(0);
  expect(shown).toEqual(['a']);
});

test('another question takes its place, whatever is answered first', async () => {
  const { hold, shown, late } = setUp();
  hold.begin('a', Promise.resolve());
  hold.begin('b', never);
  await vi.advanceTimersByTimeAsync(HOLD_MS);
  expect([shown, late]).toEqual([[], ['b']]);
});

test('what is forgotten is not shown', async () => {
  const { hold, shown, waits } = setUp();
  hold.begin('a', Promise.resolve());
  hold.end();
  await vi.advanceTimersByTimeAsync(HOLD_MS);
  expect([shown, waits]).toEqual([[], [false]]);
});
