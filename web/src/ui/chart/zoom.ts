/** The next range after zooming in the histogram. Pure. */
import type { TimeRange } from '../range';

export function zoomedTo(from: number, to: number): TimeRange {
  return { kind: 'between', from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/**
 * A range of twice the length around the same middle. It never ends in the future: instead it is
 * open, and continues with the clock.
 */
export function zoomedOut(from: number, to: number, now: number): TimeRange {
  const half = (to - from) / 2;
  const start = new Date(from - half).toISOString();
  const end = to + half;
  return { kind: 'between', from: start, to: end < now ? new Date(end).toISOString() : null };
}
