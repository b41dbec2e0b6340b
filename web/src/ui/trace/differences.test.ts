import { expect, test } from 'vitest';
import { differences } from './differences';

test('a masked number stands next to what came for it', () => {
  expect(differences('charge card=4929821157340412 ok', 'charge card=**** ok')).toEqual([
    { text: 'charge card=', kind: 'same' },
    { text: '4929821157340412', kind: 'gone' },
    { text: '****', kind: 'new' },
    { text: ' ok', kind: 'same' },
  ]);
});

test.each([
  ['', ''],
  ['a', ''],
  ['', 'a b'],
  ['a b c d', 'b c x d'],
  ['aa aa aa', 'aa aa'],
  ['x '.repeat(400), 'y '.repeat(500)],
  ['Grüße, 世界 🙂', 'Grüße 世界 🙃!'],
])('the parts make up both texts: %j and %j', (before, after) => {
  const parts = differences(before, after);
  const without = (kind: string) =>
    parts.map((part) => (part.kind === kind ? '' : part.text)).join('');
  expect(without('new')).toBe(before);
  expect(without('gone')).toBe(after);
});
