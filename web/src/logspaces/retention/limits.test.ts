import { expect, test } from 'vitest';
import { fieldsOf, limitsOf, retentionText, textOf, wrongWith } from './limits';

test.each([
  [{ age: '90d', size: '400GiB' }, '90\u202fd or 400\u202fGiB'],
  [{ age: '12h' }, '12\u202fh'],
  [{ size: '500MB' }, '500\u202fMB'],
  [{}, 'keeps everything'],
])('%j goes through the fields unchanged, and reads %j', (retention, expected) => {
  expect(textOf(fieldsOf(retention))).toEqual(retention);
  expect(retentionText(retention)).toBe(expected);
});

test('limits are numbers to count with', () => {
  expect(limitsOf({ age: '2d', size: '1GiB' })).toEqual({
    ageMs: 172_800_000,
    sizeBytes: 1_073_741_824,
  });
  expect(limitsOf({ age: null })).toEqual({ ageMs: null, sizeBytes: null });
});

test.each([
  ['', true],
  ['90', true],
  ['0', false],
  ['1.5', false],
  ['-3', false],
  ['many', false],
])('%j is an amount: %s', (amount, isRight) => {
  expect(wrongWith({ amount, unit: 'd' }) === undefined).toBe(isRight);
});
