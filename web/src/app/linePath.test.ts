import { expect, test } from 'vitest';
import { linePath } from './linePath';

test('the newest is at the right, the greatest at the top', () => {
  const samples = [
    { at: 0, rate: 10 },
    { at: 150_000, rate: 0 },
    { at: 300_000, rate: 5 },
  ];
  expect(linePath(samples, 100, 24)).toEqual({
    line: 'M0 2L50 22L100 12',
    area: 'M0 2L50 22L100 12L100 24L0 24Z',
  });
});

test('silence is a line at the bottom, and nothing is nothing', () => {
  expect(linePath([{ at: 0, rate: 0 }], 100, 24).line).toBe('M100 22');
  expect(linePath([], 100, 24)).toEqual({ line: '', area: '' });
});

test('what is older than the chart is left out', () => {
  const samples = [
    { at: 0, rate: 1 },
    { at: 400_000, rate: 1 },
  ];
  expect(linePath(samples, 100, 24).line).toBe('M100 2');
});
