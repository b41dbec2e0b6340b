import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pace } from './useOnStored';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('what is asked for while one runs or rests is one more run', async () => {
  const run = vi.fn(() => Promise.resolve());
  const { ask } = pace(500, run);
  ask();
  ask();
  ask();
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(499);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(2);
});

test('a slow run is followed by a long rest, and a failed one by another', async () => {
  const run = vi.fn(() => new Promise((_, fail) => setTimeout(() => fail(new Error('no')), 300)));
  const { ask } = pace(500, run);
  ask();
  await vi.advanceTimersByTimeAsync(300);
  ask();
  await vi.advanceTimersByTimeAsync(2_999);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(2);
});

test('after the end nothing runs any more', async () => {
  const run = vi.fn(() => Promise.resolve());
  const { ask, end } = pace(500, run);
  ask();
  ask();
  end();
  await vi.advanceTimersByTimeAsync(10_000);
  ask();
  expect(run).toHaveBeenCalledTimes(1);
});
