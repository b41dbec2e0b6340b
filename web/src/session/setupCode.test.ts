import { expect, test } from 'vitest';
import { codeIn } from './setupCode';

test.each([
  ['#ABCD-EFGH-JKMN', 'ABCD-EFGH-JKMN'],
  ['abcdefghjkmn', 'ABCD-EFGH-JKMN'],
  [' abcd efgh\njkmn ', 'ABCD-EFGH-JKMN'],
  ['ABCD‐EFGH–JKMN', 'ABCD-EFGH-JKMN'],
  ['', ''],
  ['#', ''],
])('%j is %j', (text, code) => {
  expect(codeIn(text)).toBe(code);
});
