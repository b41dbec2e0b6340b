import { expect, test } from 'vitest';
import type { Plot, Series } from './pivot';
import { firstOrder, nextSeriesOrder, orderedRows, seriesRows, trendPath } from './series';
import { plain } from './number';

function plotOf(all: Record<string, (number | null)[]>, part: Partial<Plot> = {}): Plot {
  const series = Object.entries(all).map(([name, values], index): Series => {
    const tone = name.endsWith('others')
      ? ({ kind: 'other' } as const)
      : ({ kind: 'series', index } as const);
    return { name, tone, values, measure: plain };
  });
  const partial = new Map();
  const base = { axis: 'time', column: 0, points: [], series, stackable: true, partial } as const;
  return { ...base, spanMs: 60_000, measure: 'count', split: 1, notes: [], ...part };
}

test('a series has its last, mean and greatest value, without those of partial spans', () => {
  const partial = new Map([[3, 'so far' as const]]);
  const [row] = seriesRows(plotOf({ a: [1, null, 5, 100] }, { partial }));
  expect(row?.figures).toEqual({ last: 5, avg: 3, max: 5, total: 106 });
});

test('values that do not add up count in partial spans as well', () => {
  const partial = new Map([[1, 'so far' as const]]);
  const [row] = seriesRows(plotOf({ a: [1, 3] }, { partial, stackable: false }));
  expect(row?.figures).toMatchObject({ last: 3, avg: 2, max: 3 });
});

test('a series without values says so', () => {
  expect(seriesRows(plotOf({ a: [null] }))[0]?.figures).toEqual({
    last: null,
    avg: null,
    max: null,
    total: null,
  });
});

test('rows come by the chosen figure, the others at the end', () => {
  const plot = plotOf({ a: [1], b: [9], c: [null], '7 others': [50] });
  const shown = (order = firstOrder(plot)) =>
    orderedRows(seriesRows(plot), order).map(({ series }) => series.name);
  expect(shown()).toEqual(['b', 'a', 'c', '7 others']);
  expect(shown(nextSeriesOrder(firstOrder(plot), 'total'))).toEqual(['a', 'b', 'c', '7 others']);
  expect(shown({ by: 'name', descending: true })).toEqual(['c', 'b', 'a', '7 others']);
});

test('the trend is broken where there is no value', () => {
  expect(trendPath([0, 2, null, 1], 30, 10)).toBe('M0.0,10.0L10.0,0.0M30.0,5.0');
  expect(trendPath([], 30, 10)).toBe('');
});
