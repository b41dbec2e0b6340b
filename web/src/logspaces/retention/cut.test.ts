import { expect, test } from 'vitest';
import type { Facet, Histogram } from '../../api/model';
import type { SavedSearch } from '../../api/savedSearches';
import { cutOf, lookingBack, lossesOf } from './cut';

const now = Date.parse('2026-06-10T00:00:00Z');
const DAY_MS = 86_400_000;

function histogram(...counts: number[]): Histogram {
  const buckets = counts.map((count, at) => ({
    time: new Date(Date.parse('2026-06-01T00:00:00Z') + at * DAY_MS).toISOString(),
    count,
  }));
  return { interval_ms: DAY_MS, buckets, total: 0, later: 0 };
}

test.each([
  [0, 0, null],
  [10, 1, '2026-06-02T00:00:00.000Z'],
  [15, 1.5, '2026-06-02T12:00:00.000Z'],
  [30, 3, '2026-06-04T00:00:00.000Z'],
  [99, 3, '2026-06-04T00:00:00.000Z'],
])('of the oldest %d messages %d bars go', (messages, bars, time) => {
  const cut = cutOf(histogram(10, 10, 10), messages);
  expect(cut.bars).toBe(bars);
  expect(cut.time === null ? null : new Date(cut.time).toISOString()).toBe(time);
});

test('searches that look further back are told, those of other logspaces are not', () => {
  const search = (name: string, from: string | null, logspaces: string[] | null = null) =>
    ({ name, from, to: null, logspaces }) as SavedSearch;
  const saved = [
    search('month', '-30d'),
    search('day', '-1d'),
    search('ever', 'all'),
    search('none', null),
    search('elsewhere', '-30d', ['other']),
    search('here', '2026-01-01T00:00:00Z', ['main']),
  ];
  const names = lookingBack(saved, 'main', now - 7 * DAY_MS, now).map(({ name }) => name);
  expect(names).toEqual(['month', 'ever', 'here']);
});

test('what loses all of its history comes first', () => {
  const facet = (values: Record<string, number>): Facet => ({
    messages: 0,
    distinct: 0,
    values: Object.entries(values).map(([value, count]) => ({ value, count })),
  });
  const losses = lossesOf(
    { host: facet({ big: 50, old: 2 }) },
    { host: facet({ big: 100, old: 2 }) },
  );
  expect(losses).toEqual([
    { field: 'host', value: 'old', messages: 2, of: 2, isAll: true },
    { field: 'host', value: 'big', messages: 50, of: 100, isAll: false },
  ]);
});
