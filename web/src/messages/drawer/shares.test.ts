import { expect, test } from 'vitest';
import { shareOf, shareText, shownValues } from './shares';

const values = [
  { value: '502', count: 520 },
  { value: '504', count: 300 },
  { value: '200', count: 100 },
  { value: '409', count: 50 },
  { value: '500', count: 2 },
];
const status = { distinct: 9, messages: 1_000, values };
const shares = { total: 1_000, fields: { status } };
const text = (field: string, value: string) => {
  const share = shareOf(shares, field, value);
  return share && shareText(share);
};

test('a value is a part of all messages, or less than the least of those that are known', () => {
  expect(text('status', '502')).toBe('52 %');
  expect(text('status', '500')).toBe('< 1 %');
  expect(text('status', '301')).toBe('< 1 %');
  expect(text('none', 'x')).toBeNull();
  expect(shareText({ part: 0.999, atMost: false })).toBe('> 99 %');
  expect(shareText({ part: 1, atMost: false })).toBe('100 %');
  expect(shareText({ part: 0.2, atMost: true })).toBe('≤ 20 %');
});

test('the most frequent values are shown, and the own one with them', () => {
  const shown = (value: string) => shownValues(status, value).map((one) => one.value);
  expect(shown('502')).toEqual(['502', '504', '200', '409']);
  expect(shown('500')).toEqual(['502', '504', '200', '409', '500']);
  expect(shown('301')).toEqual(['502', '504', '200', '409']);
});
