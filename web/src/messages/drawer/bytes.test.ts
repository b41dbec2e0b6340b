import { expect, test } from 'vitest';
import { bytesOf, hexRows } from './bytes';

test('the bytes are those that were received, UTF-8 or not', () => {
  expect([...bytesOf({ raw: 'ä' })]).toEqual([0xc3, 0xa4]);
  expect([...bytesOf({ raw: '\ufffd', raw_base64: btoa('\xff\x00') })]).toEqual([0xff, 0]);
});

test('a row has sixteen bytes, or eight, and shows what can be printed', () => {
  const bytes = new TextEncoder().encode('<13>hello world\n!');
  expect(hexRows(bytes, 100)).toBe(
    [
      '000000  3c 31 33 3e 68 65 6c 6c  6f 20 77 6f 72 6c 64 0a  <13>hello world·',
      `000010  21${' '.repeat(21)}  ${' '.repeat(23)}  !`,
    ].join('\n'),
  );
  expect(hexRows(bytes, 2)).toMatch(/^000000 {2}3c 31 +<1$/);
  expect(hexRows(new Uint8Array(), 100)).toBe('');
  expect(hexRows(bytes, 100, 8).split('\n')[1]).toBe('000008  6f 20 77 6f 72 6c 64 0a  o world·');
});
