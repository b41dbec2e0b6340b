import { expect, test } from 'vitest';
import type { Histogram, LogspaceInfo } from '../../api/model';
import { type FullForecast, type GrowingLogspace, changeOf, growthOf, whenFull } from './growth';

const now = Date.parse('2026-06-10T00:00:00Z');
const DAY_MS = 86_400_000;

function info(firstTime: string): LogspaceInfo {
  return {
    messages: 100,
    blocks_bytes: 600,
    index_bytes: 300,
    journal_bytes: 100,
    first_time: firstTime,
  } as LogspaceInfo;
}

/** A histogram with each day's number of messages, oldest first. */
function hourly(...days: number[]): Histogram {
  const buckets = days.flatMap((count) =>
    Array.from({ length: 24 }, () => ({ time: '', count: count / 24 })),
  );
  return { interval_ms: 3_600_000, buckets, total: 0, later: 0 };
}

test('today is compared with the middle day of those before', () => {
  const growth = growthOf(info('2026-01-01T00:00:00Z'), hourly(24, 48, 240, 96), now);
  expect(growth).toEqual({ today: 960, typical: 480 });
  expect(changeOf(growth)).toBe(100);
});

test('days before the first message say nothing of what is usual', () => {
  const young = info('2026-06-07T00:00:00Z');
  expect(growthOf(young, hourly(0, 0, 24, 48, 48), now).typical).toBe(360);
  const newer = info('2026-06-08T12:00:00Z');
  const growth = growthOf(newer, hourly(0, 0, 0, 24, 48), now);
  expect(growth.typical).toBeNull();
  expect(changeOf(growth)).toBeNull();
});

function growing(id: string, part: Partial<GrowingLogspace>): GrowingLogspace {
  return { id, bytes: 100, perDay: 10, limits: { ageMs: null, sizeBytes: null }, ...part };
}

function check(
  all: readonly GrowingLogspace[],
  free: number | null,
  expected: Record<string, FullForecast>,
): void {
  expect(Object.fromEntries(whenFull(all, free))).toEqual(expected);
}

test('a size is reached when it is', () => {
  check([growing('a', { limits: { ageMs: null, sizeBytes: 400 } })], null, {
    a: { kind: 'days', days: 30, by: 'size' },
  });
  check([growing('a', { limits: { ageMs: null, sizeBytes: 102 } })], null, {
    a: { kind: 'at-limit' },
  });
});

test('a logspace whose messages become too old first is never full', () => {
  check([growing('a', { limits: { ageMs: 20 * DAY_MS, sizeBytes: 400 } })], 1_000_000, {
    a: { kind: 'never' },
  });
});

test('all logspaces fill one disk, until some have reached their limits', () => {
  const a = growing('a', {});
  const b = growing('b', { limits: { ageMs: 20 * DAY_MS, sizeBytes: null } });
  // Both grow by 10 a day for 10 days, until b has reached its limit of 20 days; then a alone takes the remaining
  // 100.
  check([a, b], 300, {
    a: { kind: 'days', days: 20, by: 'disk' },
    b: { kind: 'days', days: 20, by: 'disk' },
  });
});

test('without history nothing is foretold', () => {
  check([growing('a', { perDay: null })], 1_000, { a: { kind: 'unknown' } });
});
