import { expect, test } from 'vitest';
import { barsOf, secondText } from './bars';
import type { Second } from './rates';

test('bars stand on each other, the worst at the ground', () => {
  const { paths, max } = barsOf([second([0, 1, 0, 0, 0, 1]), second([0, 4])], 60);
  expect(max).toBe(4);
  expect(paths).toEqual([
    { tone: 'error', path: 'M0 45h1v15h-1zM1 0h1v60h-1z' },
    { tone: 'debug', path: 'M0 30h1v15h-1z' },
  ]);
});

test('what is rare can be seen next to what is frequent', () => {
  const { paths } = barsOf([second([1, 0, 0, 0, 10_000])], 60);
  expect(paths[0]).toEqual({ tone: 'critical', path: 'M0 59h1v1h-1z' });
});

test('only seconds without a connection are marked as such', () => {
  const seconds = [second([], false), second([2], false), second([])];
  expect(barsOf(seconds, 60).unwatched).toBe('M0 0h1v60h-1z');
  expect(barsOf([], 60)).toEqual({ paths: [], unwatched: '', max: 1 });
});

test('a second is described in words', () => {
  expect(secondText(second([]))).toBe('0 matches');
  expect(secondText(second([0, 0, 0, 0, 1]))).toBe('1 match: 1 info');
  expect(secondText(second([0, 3, 0, 0, 79, 0, 1]))).toBe(
    '83 matches: 3 error, 79 info, 1 without severity',
  );
});

function second(counts: number[], watched = true): Second {
  return { at: 0, counts, total: counts.reduce((a, b) => a + b, 0), watched };
}
