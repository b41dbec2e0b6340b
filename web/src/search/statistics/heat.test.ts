import { expect, test } from 'vitest';
import { heatOf } from './heat';

test('only what is far above the usual of its column is warm', () => {
  expect(heatOf([10, 11, 12, 9, 19], 19)).toEqual([0, 0, 0, 0, 0]);
  const [, , low, high] = heatOf([10, 10, 20, 40, 10, 10, 10], 40);
  expect(low).toBeCloseTo(0.4);
  expect(high).toBe(1);
});

test('small numbers are noise, and nothing is no heat', () => {
  expect(heatOf([0, 0, 1, 0, null], 1000)).toEqual([0, 0, 0, 0, 0]);
  expect(heatOf([0, 0, 500, 0], 1000)).toEqual([0, 0, 1, 0]);
  expect(heatOf([], 0)).toEqual([]);
});
