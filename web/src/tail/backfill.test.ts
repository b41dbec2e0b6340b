import { expect, test } from 'vitest';
import { secondsOf } from './backfill';
import { Rates, SECONDS_MAX, tones } from './rates';

const buckets = [
  { time: '2026-01-02T12:00:00Z', count: 5, by: { err: 1, crit: 1, emerg: 1, info: 1 } },
  { time: '2026-01-02T12:00:01Z', count: 0 },
];

test('counts by severity become counts by tone', () => {
  const [first, second] = secondsOf({ buckets, interval_ms: 1000 });
  expect(first).toMatchObject({ at: Date.parse('2026-01-02T12:00:00Z') / 1000, total: 5 });
  const told = tones.flatMap((tone, at) => (first?.counts[at] ? [[tone, first.counts[at]]] : []));
  expect(told).toEqual([
    ['critical', 2],
    ['error', 1],
    ['info', 1],
    ['none', 1],
  ]);
  expect(second).toMatchObject({ total: 0, watched: true });
});

test('of longer spans the seconds are not known', () => {
  expect(secondsOf({ buckets, interval_ms: 5000 })).toEqual([]);
});

test('the past fills the seconds before the tail, and none after', () => {
  const rates = new Rates();
  const now = Date.parse('2026-01-02T12:00:02Z');
  rates.add(now, 'info', now);
  rates.fill(secondsOf({ buckets, interval_ms: 1000 }), now - 1000);
  const last = rates.seconds(now).slice(-3);
  expect(last.map(({ total, watched }) => [total, watched])).toEqual([
    [5, true],
    [0, false],
    [1, false],
  ]);
  const old = now + SECONDS_MAX * 1000;
  expect(rates.seconds(old).every(({ total }) => total === 0 || total === 1)).toBe(true);
});
