import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatRate } from './number';

test('counts are exact and grouped', () => {
  expect(formatCount(0)).toBe('0');
  expect(formatCount(999)).toBe('999');
  expect(formatCount(1234567)).toBe('1\u202f234\u202f567');
});

test('bytes use binary units', () => {
  expect(formatBytes(0)).toBe('0 B');
  expect(formatBytes(1023)).toBe('1023 B');
  expect(formatBytes(1536)).toBe('1.5 KiB');
  expect(formatBytes(2 * 1024 ** 3)).toBe('2.0 GiB');
});

test('slow rates keep a decimal', () => {
  expect(formatRate(0)).toBe('0');
  expect(formatRate(0.42)).toBe('0.4');
  expect(formatRate(1234.4)).toBe('1\u202f234');
});
