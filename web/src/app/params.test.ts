import { expect, test } from 'vitest';
import { parseParams, stringifyParams } from './params';

test('what is written is read back as the same text', () => {
  for (const q of ['404', '"a b"', 'a&b=c', 'true', 'größe #1 %41 +1', '']) {
    expect(parseParams(stringifyParams({ q }))).toEqual({ q });
  }
});

test('no parameters leave no question mark', () => {
  expect(stringifyParams({})).toBe('');
  expect(stringifyParams({ q: undefined })).toBe('');
});
