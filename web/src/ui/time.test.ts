import { expect, test } from 'vitest';
import { formatAge, formatTime, momentText, parseMoment, partsOf, zoneLabel } from './time';

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

test('a field reads back the moment it shows, in either zone', () => {
  for (const zone of ['local', 'utc'] as const) {
    for (const moment of ['2026-07-02T23:04:05.000Z', '2026-01-02T03:04:05.678Z', 'now-1h']) {
      expect(parseMoment(momentText(moment, zone), zone)).toBe(moment);
    }
  }
});

test('a moment can be written short, long, relative, and with its own zone', () => {
  const check = (text: string, moment: string | null) =>
    expect(parseMoment(text, 'local'), text).toBe(moment);
  check('2026-01-02', '2026-01-01T23:00:00.000Z');
  check(' 2026-01-02 03:04 ', '2026-01-02T02:04:00.000Z');
  check('2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z');
  check('2026-01-02T03:04:05+05:00', '2026-01-01T22:04:05.000Z');
  check('-15m', '-15m');
  check('now', 'now');
  for (const text of ['', 'yesterday', '2026-13-01', '2026', '12', '01/02/2026']) check(text, null);
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
