import { expect, test } from 'vitest';
import { extentOf, headlineOf } from './headline';
import type { TableAnswer, Cell, Column } from './queries';
import { viewOf } from './view';

const time: Column = { name: 'time', kind: 'time' };
const path: Column = { name: 'path', kind: 'text' };
const slow: Column = { name: 'p95(took)', kind: 'number', unit: 'seconds' };

function answerOf(query: string, columns: Column[], rows: Cell[][]): TableAnswer {
  const coverage = { complete: true } as TableAnswer['coverage'];
  const asked = { from: Date.parse('2026-01-01T00:00:00Z'), to: null };
  const at = Date.parse('2026-01-01T00:01:30Z');
  return {
    query,
    columns,
    rows,
    asked,
    at,
    coverage,
    notes: [],
    warnings: [],
    copies: 0,
    took_ms: 3,
  };
}

const rows: Cell[][] = [0, 1].flatMap((minute) =>
  ['/a', '/b', '/c'].map((name) => [`2026-01-01T00:0${minute}:00Z`, name, minute + 1]),
);
const split = answerOf('* | timechart span=1m p95(took) by path', [time, path, slow], rows);

test('times and the values that split them become a table of times by series', () => {
  const view = viewOf(split, 'auto', '', undefined);
  expect(view.pivot?.series.map(({ name }) => name)).toEqual(['/a', '/b', '/c']);
  expect([...(view.pivot?.partial ?? [])]).toEqual([[1, 'so far']]);
  expect(headlineOf(split, view)).toBe('p95(took) by path');
  expect(extentOf(split, view)).toBe('3 series × 2 steps of 1 min');
});

test('times without a split come with the newest first', () => {
  const answer = answerOf(
    '* | timechart span=1m p95(took)',
    [time, slow],
    [
      ['2026-01-01T00:00:00Z', 1],
      ['2026-01-01T00:01:00Z', 2],
    ],
  );
  const view = viewOf(answer, 'auto', '', undefined);
  expect(view.pivot).toBeNull();
  expect(view.rows.map(([, value]) => value)).toEqual([2, 1]);
  expect(headlineOf(answer, view)).toBe('p95(took)');
});

test('a table of values is headed by what it lists', () => {
  const answer = answerOf('* | uniq path', [path], [['/a'], ['/b']]);
  const view = viewOf(answer, 'auto', '', undefined);
  expect([headlineOf(answer, view), extentOf(answer, view)]).toEqual(['path', '2 rows']);
});
