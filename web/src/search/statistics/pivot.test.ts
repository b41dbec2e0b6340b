import { expect, test } from 'vitest';
import { BARS_MAX, type Plot, SERIES_MAX, plotOf } from './pivot';
import type { Cell, Table } from './queries';
import { shapeOf, spanOf } from './shape';

function plot(query: string, columns: Table['columns'], rows: Cell[][], measure = ''): Plot {
  const table = { columns, rows };
  const found = plotOf(table, shapeOf(table, query), rows, {
    measure,
    spanMs: spanOf(query),
    byTotal: true,
  });
  if (found === null) throw new Error('nothing to draw');
  return found;
}

const time = { name: 'time', kind: 'time' } as const;
const host = { name: 'host', kind: 'text' } as const;
const severity = { name: 'severity', kind: 'severity' } as const;
const count = { name: 'count', kind: 'number' } as const;
const avg = { name: 'avg(took)', kind: 'number' } as const;

test('time runs to the right, however the rows are sorted', () => {
  const { axis, points, series } = plot(
    '* | timechart span=1m count()',
    [time, count],
    [
      ['2026-01-01T00:01:00Z', 2],
      ['2026-01-01T00:00:00Z', 1],
      [null, 9],
    ],
  );
  expect(axis).toBe('time');
  expect(points.map((point) => point.name)).toEqual([
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:01:00Z',
  ]);
  expect(series.map(({ values }) => values)).toEqual([[1, 2]]);
});

test('a second group makes series, with a gap where one has no row', () => {
  const { points, series, stackable } = plot(
    '* | stats count() by host, severity',
    [host, severity, count],
    [
      ['a', 'err', 1],
      ['b', 'err', 2],
      ['b', 'debug', 5],
    ],
  );
  expect(points.map(({ name }) => name)).toEqual(['b', 'a']);
  expect(series.map(({ name, values }) => [name, values])).toEqual([
    ['debug', [5, null]],
    ['err', [2, 1]],
  ]);
  expect(stackable).toBe(true);
});

test('too many series are gathered where they add up, and left out where they do not', () => {
  const rows = Array.from({ length: 20 }, (_, at) => ['2026-01-01T00:00:00Z', `h${at}`, at + 1]);
  const sums = plot('* | timechart span=1m count() by host', [time, host, count], rows);
  expect(sums.series).toHaveLength(SERIES_MAX + 1);
  expect(sums.series.at(-1)).toMatchObject({
    name: '15 others',
    tone: { kind: 'other' },
    values: [(15 * 16) / 2],
  });
  expect(sums.series.at(-1)).not.toHaveProperty('value');
  expect(sums.series[0]).toMatchObject({ name: 'h19', value: 'h19' });
  const averages = plot('* | timechart span=1m avg(took) by host', [time, host, avg], rows);
  expect(averages.series).toHaveLength(SERIES_MAX);
  expect(averages.notes).toEqual(['Showing the 5 largest of 20 series.']);
});

test('all measures are drawn over time unless one is chosen', () => {
  const columns = [time, count, avg];
  const rows: Cell[][] = [['2026-01-01T00:00:00Z', 1, 2]];
  const query = '* | timechart span=1m count(), avg(took)';
  expect(plot(query, columns, rows).series.map(({ name }) => name)).toEqual(['count', 'avg(took)']);
  expect(plot(query, columns, rows, 'avg(took)').series.map(({ name }) => name)).toEqual([
    'avg(took)',
  ]);
});

test('what is not drawn is said', () => {
  const rows = Array.from({ length: 100 }, (_, at) => [`h${at}`, at]);
  const { points, notes } = plot('* | top 100 host', [host, count], rows);
  expect(points).toHaveLength(BARS_MAX);
  expect(notes).toEqual(['Showing the first 24 of 100.']);
});

test('a table without groups or numbers has nothing to draw', () => {
  const none = (query: string, columns: Table['columns'], rows: Cell[][]) => {
    const table = { columns, rows };
    expect(plotOf(table, shapeOf(table, query), rows, { measure: '', spanMs: null })).toBeNull();
  };
  none('* | stats count()', [count], [[1]]);
  none('* | uniq host', [host], [['a']]);
  none('* | stats count() by host', [host, count], []);
});
