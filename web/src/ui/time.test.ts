import { expect, test } from 'vitest';
import { formatAge, formatTime, fromInputValue, partsOf, toInputValue, zoneLabel } from './time';

test('a time is written in the chosen zone, with milliseconds', () => {
  expect(formatTime('2026-01-02T03:04:05.678901234Z', 'utc')).toBe('2026-01-02 03:04:05.678');
  expect(formatTime('2026-01-02T03:04:05.678901234Z', 'local')).toBe('2026-01-02 04:04:05.678');
  expect(formatTime('2026-07-02T23:04:05Z', 'local')).toBe('2026-07-03 01:04:05.000');
});

test('a text that is not a time is shown as it came', () => {
  expect(formatTime('soon', 'utc')).toBe('soon');
  expect(partsOf('', 'utc')).toBeNull();
  expect(formatAge('soon', 0)).toBe('soon');
});

test('an input reads back the moment it shows, in either zone', () => {
  for (const zone of ['local', 'utc'] as const) {
    const moment = '2026-07-02T23:04:05.000Z';
    expect(fromInputValue(toInputValue(moment, zone), zone)).toBe(moment);
  }
  expect(fromInputValue('', 'utc')).toBeNull();
  expect(fromInputValue('yesterday', 'utc')).toBeNull();
});

test('the zone names itself and its offset at that time of the year', () => {
  expect(zoneLabel('local', new Date('2026-01-02'))).toBe('Europe/Vienna (UTC+01:00)');
  expect(zoneLabel('local', new Date('2026-07-02'))).toBe('Europe/Vienna (UTC+02:00)');
  expect(zoneLabel('utc', new Date('2026-07-02'))).toBe('UTC');
});

test('ages grow from seconds to days', () => {
  const now = Date.parse('2026-01-10T00:00:00Z');
  const check = (then: string, age: string) => expect(formatAge(then, now)).toBe(age);
  check('2026-01-10T00:00:00Z', 'just now');
  check('2026-01-10T00:00:01Z', 'just now');
  check('2026-01-09T23:59:30Z', '30 s ago');
  check('2026-01-09T23:00:30Z', '59 min ago');
  check('2026-01-09T01:00:00Z', '23 h ago');
  check('2026-01-01T00:00:00Z', '9 d ago');
});
