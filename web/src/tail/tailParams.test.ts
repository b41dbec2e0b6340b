import { expect, test } from 'vitest';
import { type TailState, readTail, withHighlight, writeTail } from './tailParams';

const initial = readTail({});

test('a bare address is one tail of everything', () => {
  expect(initial).toMatchObject({ queries: [''], off: [[]], logspaces: [], highlights: [] });
  expect(writeTail(initial)).toEqual({});
});

test('what is written is read back as the same state', () => {
  const states: Partial<TailState>[] = [
    { queries: ['failed password'] },
    { queries: ['', ''], off: [[], []] },
    { queries: ['', 'b', '', 'd'], off: [['host=web-1'], [], [], ['a, b', 'c']] },
    { view: 'table', columns: ['host', 'status'], facets: [] },
    { open: 'main:1', tab: 'raw' },
    { logspaces: ['main', 'dmz'] },
    { highlights: ['a, b', 'c'] },
  ];
  for (const part of states) {
    const state = { ...initial, ...part };
    expect(readTail(writeTail(state))).toEqual(state);
  }
});

test('nonsense in the address never breaks the page', () => {
  expect(readTail({ logspace: ',,', highlight: '\n \n', q5: 'x' })).toEqual(initial);
  expect(readTail({ q4: 'b' }).queries).toEqual(['', 'b']);
  expect(readTail({ highlight: '1\n2\n3\n4\n5' }).highlights).toHaveLength(4);
});

test('a highlight is there once, and there are not too many', () => {
  const one = withHighlight(initial, ' Error ');
  expect(one.highlights).toEqual(['Error']);
  expect(withHighlight(one, 'error')).toBe(one);
  expect(withHighlight(one, '  ')).toBe(one);
  const full = { ...initial, highlights: ['1', '2', '3', '4'] };
  expect(withHighlight(full, '5')).toBe(full);
});
