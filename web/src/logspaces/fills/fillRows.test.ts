import { expect, test } from 'vitest';
import type { Facet } from '../../api/model';
import { fillRows } from './fillRows';

function facet(counts: Record<string, number>): Facet {
  const values = Object.entries(counts).map(([value, count]) => ({ value, count }));
  return { messages: 0, distinct: values.length, values };
}

test('a week is compared with the one before', () => {
  const rows = fillRows({
    all: facet({ a: 100, b: 50, c: 10 }),
    week: facet({ a: 15, c: 5 }),
    before: facet({ a: 10, b: 20 }),
  });
  expect(rows).toEqual([
    { value: 'a', count: 100, change: 50 },
    { value: 'b', count: 50, change: -100 },
    { value: 'c', count: 10, change: null },
  ]);
});
