import { expect, test } from 'vitest';
import { brushOf, literal, numberText, spanOf } from './numbers';

const numbers = {
  messages: 6,
  unit: 'duration' as const,
  min: 0.004,
  median: 0.086,
  p95: 2.5,
  max: 9,
  buckets: [0.004, 0.1, 2.5].map((from) => ({ from, count: 2 })),
};

test('numbers keep their unit', () => {
  expect(numberText(3.578, 'duration')).toBe('3.58 s');
  expect(numberText(0.086, 'duration')).toBe('86 ms');
  expect(numberText(166_400_000, 'size')).toBe('166 MB');
  expect(numberText(12_345, undefined)).toBe('12345');
  expect(numberText(0.25, undefined)).toBe('0.25');
  expect(numberText(0, 'duration')).toBe('0 s');
  expect(literal(2.5, 'duration')).toBe('2.5s');
});

test('a brush leaves the ends of all numbers open', () => {
  expect(spanOf(numbers, { first: 2, last: 2 })).toEqual({ from: '2.5s' });
  expect(spanOf(numbers, { first: 0, last: 0 })).toEqual({ to: '100ms' });
  expect(spanOf(numbers, { first: 1, last: 1 })).toEqual({ from: '100ms', to: '2.5s' });
  expect(spanOf(numbers, { first: 0, last: 2 })).toEqual({});
});

test('what was chosen shows as a brush', () => {
  expect(brushOf(numbers, 2.5, undefined)).toEqual({ first: 2, last: 2 });
  expect(brushOf(numbers, undefined, 0.1)).toEqual({ first: 0, last: 0 });
  expect(brushOf(numbers, undefined, undefined)).toBeNull();
  expect(brushOf(numbers, undefined, 0.001)).toBeNull();
});
