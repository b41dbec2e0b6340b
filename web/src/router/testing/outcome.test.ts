import { expect, test } from 'vitest';
import { kindOfOutcome, matrixOf } from './outcome';
import type { Outcome } from './wire';

const outcome = (before: string[], after: string[], count: number, changed = 0): Outcome => ({
  ...{ before, after, count, changed },
  differs: {},
  taken: { before: {}, after: {} },
  steps: [],
  examples: [],
});
const main = ['logspace:main'];
const both = ['logspace:app', 'destination:siem'];

test('what a cell means', () => {
  expect(kindOfOutcome(outcome(both, [...both].reverse(), 5))).toBe('same');
  expect(kindOfOutcome(outcome(both, both, 5, 2))).toBe('fields');
  expect(kindOfOutcome(outcome(main, [...main, ...both], 5))).toBe('gained');
  expect(kindOfOutcome(outcome(['dropped:unrouted'], main, 5))).toBe('gained');
  // A message that moves to another logspace is still stored.
  expect(kindOfOutcome(outcome(main, ['logspace:app'], 5))).toBe('other');
  expect(kindOfOutcome(outcome(both, main, 5))).toBe('lost');
  expect(kindOfOutcome(outcome(main, ['dropped:no_route'], 5))).toBe('lost');
  // Dropping messages is the purpose of a step that samples or drops.
  expect(kindOfOutcome(outcome(main, ['dropped:route:a/step:1'], 5))).toBe('other');
});

test('no message is missing from the matrix, and what is dropped stands last', () => {
  const outcomes = [
    outcome(['dropped:unrouted'], main, 3),
    outcome(main, main, 10, 4),
    outcome(main, ['dropped:route:a/step:1'], 2),
    outcome(both, both, 7),
  ];
  const { rows, columns, cells, totals } = matrixOf(outcomes);
  const keys = (headings: readonly { key: string }[]) => headings.map(({ key }) => key);
  expect(keys(rows)).toEqual(['main', 'app + siem', 'dropped, no route']);
  expect(keys(columns)).toEqual(['main', 'app + siem', 'dropped by a, step 1']);
  expect(rows.map(({ total }) => total)).toEqual([12, 7, 3]);
  expect(rows[2]).toMatchObject({ title: 'dropped', note: 'no route matches', isChanged: true });
  const counts = [...cells.values()].flatMap((row) => [...row.values()].map(({ count }) => count));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(22);
  expect(totals).toEqual({ same: 13, fields: 4, gained: 3, other: 2, lost: 0 });
});
