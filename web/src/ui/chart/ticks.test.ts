import { expect, test } from 'vitest';
import { formatShort, formatSpan, countAxis, timeTicks } from './ticks';

const at = (text: string) => Date.parse(text);

function texts(from: string, to: string, ticksMax: number, zone: 'utc' | 'local'): string[] {
  return timeTicks(at(from), at(to), ticksMax, zone).map(({ text }) => text);
}

test('ticks stand at round times, and a new day says which', () => {
  expect(texts('2026-01-01T22:10:00Z', '2026-01-02T01:20:00Z', 4, 'utc')).toEqual([
    '23:00',
    '01-02',
    '01:00',
  ]);
  expect(texts('2026-01-01T22:10:01Z', '2026-01-01T22:10:31Z', 3, 'utc')).toEqual([
    '22:10:10',
    '22:10:20',
    '22:10:30',
  ]);
  expect(texts('2026-01-01T00:00:00Z', '2026-01-31T00:00:00Z', 5, 'utc')).toHaveLength(5);
});

test('round is what is round in the zone', () => {
  // Vienna is an hour ahead in winter.
  expect(texts('2026-01-01T17:00:00Z', '2026-01-02T06:00:00Z', 3, 'local')).toEqual([
    '18:00',
    '01-02',
    '06:00',
  ]);
  // The clocks went from 02:00 to 03:00 on that day.
  expect(texts('2026-03-28T17:00:00Z', '2026-03-29T17:00:00Z', 4, 'local')).toEqual([
    '18:00',
    '03-29',
    '06:00',
    '12:00',
    '18:00',
  ]);
});

test('there are never more ticks than there is room for, but one', () => {
  for (const span of [1e3, 5e4, 3.6e6, 9e7, 8e8, 4e10, 2e12]) {
    for (const zone of ['utc', 'local'] as const) {
      const ticks = timeTicks(1_769_000_000_123, 1_769_000_000_123 + span, 6, zone);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }
  }
  expect(timeTicks(5, 5, 6, 'utc')).toEqual([]);
  expect(timeTicks(0, 10, 0, 'utc')).toEqual([]);
});

test('the axis ends a little above the highest bar, with round numbers below', () => {
  for (const [highest, marks] of [
    [0, [1]],
    [1, [1]],
    [5, [2, 4]],
    [99, [50, 100]],
    [12_600, [5_000, 10_000]],
    [8_466, [5_000]],
    [290, [100, 200, 300]],
  ] as const) {
    const axis = countAxis(highest);
    expect(axis.marks).toEqual(marks);
    expect(axis.top).toBeCloseTo(Math.max(highest, 1) * 1.1);
  }
});

test('spans are written short', () => {
  expect([500, 30_000, 300_000, 5_400_000, 172_800_000].map(formatSpan)).toEqual([
    '500 ms',
    '30 s',
    '5 min',
    '1.5 h',
    '2 d',
  ]);
});

test('numbers on an axis are short', () => {
  expect([5, 500, 2_500, 40_000, 2_000_000, 5e9].map(formatShort)).toEqual([
    '5',
    '500',
    '2.5 k',
    '40 k',
    '2 M',
    '5 G',
  ]);
});
