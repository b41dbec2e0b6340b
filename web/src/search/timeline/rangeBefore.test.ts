import { expect, test } from 'vitest';
import { beforeText, countsBefore, shiftOf, spanBefore } from './rangeBefore';

const MINUTE = 60_000;
const time = (minute: number) => new Date(minute * MINUTE).toISOString();
const histogram = (minutes: readonly number[]) => ({
  interval_ms: MINUTE,
  buckets: minutes.map((minute) => ({ time: time(minute), count: minute })),
  total: 0,
  later: 0,
});

test('the range before is as far back as the range is long', () => {
  const shown = histogram([60, 61, 62]);
  expect(shiftOf(shown, { kind: 'last', span: '2m' })).toBe(2 * MINUTE);
  expect(shiftOf(shown, { kind: 'last', span: '90s' })).toBe(3 * MINUTE);
  expect(shiftOf(shown, { kind: 'between', from: null, to: null })).toBe(3 * MINUTE);
  expect(spanBefore(shown, 2 * MINUTE)).toEqual({ from: time(58), to: time(61), interval: '60s' });
  expect(spanBefore(histogram([60]), MINUTE)).toBeNull();
  expect(spanBefore({ ...shown, interval_ms: 100 }, MINUTE)).toBeNull();
});

test('its counts stand under the bars that came as much later', () => {
  const before = histogram([57, 59]);
  expect(countsBefore(histogram([60, 61, 62]), before, 3 * MINUTE)).toEqual([57, 0, 59]);
});

test('a day and a week have names', () => {
  const hours = [24, 168, 6].map((count) => beforeText(count * 60 * MINUTE));
  expect(hours).toEqual(['day before', 'week before', '6 h before']);
});
