import { expect, test } from 'vitest';
import { hourAround, nearestOf } from './emptyQueries';

test('the nearest match is on the side that is closer', () => {
  const [from, to] = ['2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'];
  const before = '2026-01-01T23:00:00Z';
  const after = '2026-01-03T00:30:00Z';
  expect(nearestOf(before, after, from, to)).toEqual({ time: after, side: 'after' });
  expect(nearestOf(before, undefined, from, to)).toEqual({ time: before, side: 'before' });
  expect(nearestOf(undefined, after, from, to)).toEqual({ time: after, side: 'after' });
  expect(nearestOf(before, undefined, '-1h', null)).toEqual({ time: before, side: 'before' });
  expect(nearestOf(undefined, undefined, from, to)).toBeNull();
});

test('the hour around a moment has it in the middle', () => {
  expect(hourAround('2026-01-01T12:00:00Z')).toEqual({
    kind: 'between',
    from: '2026-01-01T11:30:00.000Z',
    to: '2026-01-01T12:30:00.000Z',
  });
});
