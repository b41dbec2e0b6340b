/**
 * The range before the current one: the request for it, and its alignment with the same bars. Pure.
 */
import type { Histogram } from '../../api/model';
import { formatSpan } from '../../ui/chart/ticks';
import { type TimeRange, spanMs } from '../../ui/range';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

export type Span = { from: string; to: string; interval: string };

/**
 * The distance to the range before: its own length, or if buckets do not fit into that, the length of all that are
 * shown.
 */
export function shiftOf({ buckets, interval_ms: intervalMs }: Histogram, range: TimeRange): number {
  const span = range.kind === 'last' ? spanMs(range.span) : null;
  return span !== null && span % intervalMs === 0 ? span : buckets.length * intervalMs;
}

/**
 * The same buckets, earlier by this time; null if that is not a suitable range for a comparison.
 */
export function spanBefore(histogram: Histogram, shiftMs: number): Span | null {
  const { buckets, interval_ms: intervalMs } = histogram;
  const [first] = buckets;
  if (first === undefined || buckets.length < 2 || intervalMs % SECOND_MS !== 0) return null;
  const start = Date.parse(first.time) - shiftMs;
  return {
    from: new Date(start).toISOString(),
    to: new Date(start + buckets.length * intervalMs).toISOString(),
    interval: `${intervalMs / SECOND_MS}s`,
  };
}

/**
 * The counts of the previous buckets, each aligned with the bucket that is later by the same time.
 */
export function countsBefore(shown: Histogram, before: Histogram, shiftMs: number): number[] {
  const counts = new Map(before.buckets.map(({ time, count }) => [Date.parse(time), count]));
  return shown.buckets.map(({ time }) => counts.get(Date.parse(time) - shiftMs) ?? 0);
}

/** The name of the line. */
export function beforeText(shiftMs: number): string {
  switch (shiftMs) {
    case DAY_MS:
      return 'day before';
    case 7 * DAY_MS:
      return 'week before';
    default:
      return `${formatSpan(shiftMs)} before`;
  }
}
