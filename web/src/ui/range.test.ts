import { describe, expect, test } from 'vitest';
import {
  type TimeRange,
  frozen,
  readRange,
  rangeLabel,
  rangeZone,
  requestRange,
  resolve,
  shift,
  spanOf,
  zoomOut,
} from './range';

const NOW = Date.parse('2026-01-02T12:00:00Z');
const last = (span: string): TimeRange => ({ kind: 'last', span });
const all: TimeRange = { kind: 'all' };
/** A range between times of 2 January 2026 (UTC), or between complete moments. */
const between = (from: string | null, to: string | null): TimeRange => ({
  kind: 'between',
  from: moment(from),
  to: moment(to),
});
const moment = (time: string | null) =>
  time !== null && /^\d\d:/.test(time) ? `2026-01-02T${time}:00.000Z` : time;

test('a request names its range as the server reads it', () => {
  const timezone = { timezone: 'Europe/Vienna' };
  expect(requestRange(last('15m'))).toEqual({ from: '-15m', ...timezone });
  expect(requestRange(all)).toEqual(timezone);
  expect(requestRange(between('now-2h', 'now-1h'))).toEqual({
    from: 'now-2h',
    to: 'now-1h',
    ...timezone,
  });
  localStorage.setItem('logstead-zone', '"utc"');
  expect(requestRange(all)).toEqual({});
  localStorage.clear();
});

test('a relative range stands for moments', () => {
  const check = (range: TimeRange, from: string | null, to: string | null) =>
    expect(frozen(range, NOW)).toEqual(between(from, to));
  check(last('1h'), '11:00', '12:00');
  check(between('now-2h', '-1h'), '10:00', '11:00');
  check(between('-30m', null), '11:30', null);
  check(between(null, 'now'), null, '12:00');
  expect(frozen(all, NOW)).toEqual(all);
  expect(resolve(between('yesterday', null), NOW)).toBeNull();
});

describe('shifting by its own length', () => {
  const check = (range: TimeRange, direction: -1 | 1, shifted: TimeRange | null) =>
    expect(shift(range, direction, NOW)).toEqual(shifted);
  test('makes a relative range absolute', () => {
    check(last('1h'), -1, between('10:00', '11:00'));
    check(last('1h'), 1, between('12:00', '13:00'));
  });
  test('moves both ends', () => {
    check(between('08:00', '09:30'), -1, between('06:30', '08:00'));
    check(between('08:00', '09:30'), 1, between('09:30', '11:00'));
    check(between('11:00', null), -1, between('10:00', '11:00'));
  });
  test('is not possible without a beginning, or backwards in time', () => {
    check(all, -1, null);
    check(between(null, '08:00'), 1, null);
    check(between('09:00', '08:00'), 1, null);
    check(between('rubbish', '08:00'), 1, null);
  });
});

describe('zooming out', () => {
  const check = (range: TimeRange, wider: TimeRange | null) =>
    expect(zoomOut(range, NOW)).toEqual(wider);
  test('doubles a relative range, which stays relative', () => {
    check(last('1h'), last('2h'));
    check(last('30m'), last('1h'));
    check(last('45s'), last('90s'));
    check(last('12h'), last('1d'));
  });
  test('widens around the middle, but not into the future', () => {
    check(between('08:00', '09:00'), between('07:30', '09:30'));
    check(between('11:00', '12:00'), between('10:00', '12:00'));
    check(between('11:00', null), between('10:00', null));
  });
  test('is not possible when there is nothing wider', () => {
    check(all, null);
    check(between(null, '09:00'), null);
  });
});

test('a span is written in the largest unit that leaves no rest', () => {
  expect([90_000, 120_000, 86_400_000, 1_500].map(spanOf)).toEqual(['90s', '2m', '1d', '2s']);
});

test('a range is described in words', () => {
  const check = (range: TimeRange, label: string) => expect(rangeLabel(range, 'utc')).toBe(label);
  check(last('1h'), 'Last hour');
  check(last('90m'), 'Last 90 minutes');
  check(last('1d'), 'Last 1 day');
  check(between('08:00', '09:30'), '2026-01-02 08:00 – 09:30');
  check(between('08:00', '2026-01-03T01:00:00Z'), '2026-01-02 08:00 – 2026-01-03 01:00');
  check(between('08:00', null), '2026-01-02 08:00 – now');
  check(between('2026-01-02T08:00:01.234Z', null), '2026-01-02 08:00:01 – now');
  check(between('now-2h', 'now-1h'), 'now-2h – now-1h');
});

test('the zone is the one of both ends, or of each', () => {
  expect(rangeZone(last('1h'), 'local', new Date(NOW))).toBe('UTC+01:00');
  const summer = between('2026-07-01T00:00:00Z', '2026-07-02T00:00:00Z');
  expect(rangeZone(summer, 'local', new Date(NOW))).toBe('UTC+02:00');
  expect(
    rangeZone(between('2026-07-01T00:00:00Z', '2026-12-01T00:00:00Z'), 'local', new Date(NOW)),
  ).toBe('UTC+02:00 – UTC+01:00');
  expect(rangeZone(all, 'utc', new Date(NOW))).toBe('UTC');
});

test('what ends now is the last stretch of its length, however it is written', () => {
  for (const [from, to] of [
    ['-24h', undefined],
    ['now-24h', undefined],
    ['now-24h', 'now'],
  ] as const)
    expect(readRange(from, to)).toEqual(last('24h'));
  expect(readRange('now-2h', 'now-1h')).toEqual(between('now-2h', 'now-1h'));
});
