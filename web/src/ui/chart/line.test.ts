import { expect, test } from 'vitest';
import { linePath } from './line';

test('a line goes through the middles of buckets and stays on the chart', () => {
  const size = { width: 40, height: 10, top: 10 };
  expect(linePath([0, 5, 20, 10], size)).toBe('M5.0 10.0L15.0 5.0L25.0 0.0L35.0 0.0');
  expect(linePath([], size)).toBe('');
});
