import { expect, test } from 'vitest';
import { Slots } from './useVirtualRows';

test('a row keeps its element, and a new one takes that of one that left', () => {
  const slots = new Slots();
  const check = (keys: number[], expected: number[]) =>
    expect([...slots.of(keys).values()]).toEqual(expected);
  check([1, 2, 3], [0, 1, 2]);
  check([2, 3, 4], [1, 2, 0]);
  check([2, 3, 4], [1, 2, 0]);
  check([4, 5, 6], [0, 2, 1]);
});

test('no two rows in view are in one element', () => {
  const slots = new Slots();
  for (const keys of [[1, 2, 3, 4], [4], [4, 5], [4, 5, 6, 7, 8], [9, 10, 8]]) {
    expect(new Set(slots.of(keys).values()).size).toBe(keys.length);
  }
});
