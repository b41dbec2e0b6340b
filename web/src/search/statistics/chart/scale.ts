/** The ends, ticks and labels of axes. */
import type { Zone } from '../../../ui/time';
import type { Measure } from '../number';

/** About `count` round values, from one at or below `low` to one at or above `high`. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low))
    return high === low && high !== 0 ? ticks(Math.min(0, low), Math.max(0, high), count) : [0, 1];
  const step = roundStep((high - low) / Math.max(1, count));
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  // The values are multiplied and rounded, not summed up: 0.1 + 0.2 is not 0.3.
  return Array.from({ length: last - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10;
  return factor * power;
}

/** The same for values with a unit: for long durations, whole minutes and hours are round. */
export function unitTicks(low: number, high: number, count: number, measure: Measure): number[] {
  const most = Math.max(Math.abs(low), Math.abs(high)) * measure.factor;
  const one = measure.unit === 'seconds' ? (longSteps.find((step) => most >= 2 * step) ?? 1) : 1;
  const by = one / measure.factor;
  return ticks(low / by, high / by, count).map((tick) => tick * by);
}

const longSteps = [86_400, 3600, 60] as const;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * DAY),
];

export type TimeTick = { time: number; label: string; isDay: boolean };

/** At most `count` round times of the zone between two moments; a new day shows its date. */
export function timeTicks(from: number, to: number, count: number, zone: Zone): TimeTick[] {
  const step = timeSteps.find((step) => (to - from) / step <= Math.max(1, count)) ?? 3640 * DAY;
  const found: TimeTick[] = [];
  let time = Math.ceil(shifted(from, zone) / step) * step;
  for (; found.length <= count; time += step) {
    const moment = unshifted(time, zone);
    if (moment > to) break;
    if (moment >= from) found.push(tickAt(moment, time, step));
  }
  return found;
}

function tickAt(moment: number, clock: number, step: number): TimeTick {
  const iso = new Date(clock).toISOString();
  const isDay = clock % DAY === 0;
  const label = isDay ? iso.slice(5, 10) : iso.slice(11, step < MINUTE ? 19 : 16);
  return { time: moment, label, isDay };
}

/** The moment whose UTC reading is the zone's clock at `time`. */
function shifted(time: number, zone: Zone): number {
  return zone === 'utc' ? time : time - new Date(time).getTimezoneOffset() * MINUTE;
}

function unshifted(clock: number, zone: Zone): number {
  if (zone === 'utc') return clock;
  const guess = clock + new Date(clock).getTimezoneOffset() * MINUTE;
  // Near a change of the clocks, the first guess may have the offset from before or after it.
  return clock + new Date(guess).getTimezoneOffset() * MINUTE;
}
