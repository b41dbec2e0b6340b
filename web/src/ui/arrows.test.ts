import { expect, test } from 'vitest';
import { itemAfter } from './arrows';

const rows = [['head', 'menu'], ['a', 'only a'], ['b']];

test('arrows go from row to row and within one', () => {
  expect(itemAfter(rows, 'head', 'ArrowDown')).toBe('a');
  expect(itemAfter(rows, 'only a', 'ArrowDown')).toBe('b');
  expect(itemAfter(rows, 'b', 'ArrowUp')).toBe('a');
  expect(itemAfter(rows, 'a', 'ArrowRight')).toBe('only a');
  expect(itemAfter(rows, 'only a', 'ArrowLeft')).toBe('a');
  expect(itemAfter(rows, 'a', 'Home')).toBe('head');
  expect(itemAfter(rows, 'head', 'End')).toBe('b');
});

test('arrows stop at the ends, and other keys mean nothing', () => {
  for (const [item, key] of [
    ['b', 'ArrowDown'],
    ['head', 'ArrowUp'],
    ['b', 'ArrowRight'],
    ['a', 'x'],
  ] as const) {
    expect(itemAfter(rows, item, key)).toBeUndefined();
  }
});
