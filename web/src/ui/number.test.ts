import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatPart, formatRate, formatShort } from './number';

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

test('what moves is written short', () => {
  const counts = [9_999, 12_345, 99_960, 999_400, 999_600, 3_041_000, 4_000_000_000];
  expect(counts.map(formatShort)).toEqual([
    '9\u202f999',
    '12.3 k',
    '100 k',
    '999 k',
    '1.00 M',
    '3.04 M',
    '4.00 G',
  ]);
});

test('a part of a limit is in the unit of the limit', () => {
  expect(formatPart(1.84 * 1024 ** 3, 4 * 1024 ** 3)).toBe('1.8 of 4 GiB');
  expect(formatPart(3 * 1024 ** 2, 64 * 1024 ** 2)).toBe('3 of 64 MiB');
  expect(formatPart(0, 1536)).toBe('0 of 1.5 KiB');
  expect(formatPart(0, 0)).toBe('0 of 0 B');
});
