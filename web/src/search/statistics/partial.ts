/**
 * Time spans that are only partly known: their sums are too small because of that, not because of
 * the traffic.
 */
import type { Moments } from '../../ui/range';

/** The span has not ended yet, or the end of the range cuts it. */
export type PartialSpan = 'so far' | 'in part';

type Timed = { time: number | null };

/** The partly known spans, by the index of the point. `at` is the time of the request. */
export function partialsOf(
  points: readonly Timed[],
  spanMs: number | null,
  asked: Moments,
  at: number,
): ReadonlyMap<number, PartialSpan> {
  const found = new Map<number, PartialSpan>();
  if (spanMs === null) return found;
  points.forEach(({ time }, place) => {
    if (time === null) return;
    const end = time + spanMs;
    if (time <= at && at < end && (asked.to === null || at <= asked.to)) found.set(place, 'so far');
    else if (cuts(asked.from, time, end) || cuts(asked.to, time, end)) found.set(place, 'in part');
  });
  return found;
}

function cuts(moment: number | null, start: number, end: number): boolean {
  return moment !== null && start < moment && moment < end;
}
