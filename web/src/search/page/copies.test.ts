import { expect, test } from 'vitest';
import { copiesText } from './copies';

test('copies are counted where all messages are known, and mentioned where a part is', () => {
  expect(copiesText(0, false)).toBeNull();
  expect(copiesText(0, true)).toBeNull();
  expect(copiesText(1, false)).toBe('1 of them a copy');
  expect(copiesText(12, false)).toBe('12 of them copies');
  expect(copiesText(12, true)).toBe('copies included');
});
