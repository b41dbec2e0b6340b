import { expect, test } from 'vitest';
import { sample } from './sample';
import { type Times, dayLabel, dayOf, formatOffset, shownTime } from './times';

test('a message can be shown with each of its times', () => {
  const message = sample({
    time: '2026-01-02T03:04:05.678Z',
    received: '2026-01-03T00:00:01Z',
    device_time: '1970-01-01T00:00:00Z',
  });
  const now = Date.parse('2026-01-02T03:05:05.678Z');
  const cases: [Times, string][] = [
    ['absolute', '03:04:05.678'],
    ['relative', '1 min ago'],
    ['device', '01-01 00:00:00.000'],
    ['received', '01-03 00:00:01.000'],
  ];
  for (const [times, text] of cases) {
    expect(shownTime(message, times, 'utc', now).text, times).toBe(text);
  }
});

test('a day is the day of the zone', () => {
  expect(dayOf('2026-01-01T23:30:00Z', 'utc')).toBe('2026-01-01');
  expect(dayOf('2026-01-01T23:30:00Z', 'local')).toBe('2026-01-02');
  expect(dayLabel('2026-01-02')).toBe('Fri 2 Jan 2026');
});

test('a distance in time is given in the units that fit it', () => {
  const from = '2026-01-02T00:00:00Z';
  for (const [at, text] of [
    ['2026-01-02T00:00:00Z', '0'],
    ['2026-01-02T00:00:00.340Z', '+340 ms'],
    ['2026-01-01T23:59:58.800Z', '−1.2 s'],
    ['2026-01-02T00:03:20Z', '+3 min 20 s'],
    ['2026-01-02T05:06:00Z', '+5 h 6 min'],
    ['2026-01-06T01:00:00Z', '+4 d 1 h'],
  ] as const) {
    expect(formatOffset(at, from)).toBe(text);
  }
});
