/** The ticks of an axis: round numbers, and round times in the user's zone. */
import { type Zone, partsOf } from '../time';

export type Tick = { at: number; text: string; isDay: boolean };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 3640].map((days) => days * DAY),
];

/** At most `ticksMax` times from `start` to before `end` (milliseconds since 1970). */
export function timeTicks(start: number, end: number, ticksMax: number, zone: Zone): Tick[] {
  if (!(start < end) || ticksMax < 1) return [];
  const step = STEPS.find((each) => (end - start) / each <= ticksMax) ?? STEPS.at(-1) ?? DAY;
  const ticks: Tick[] = [];
  const shift = shiftAt(start, zone);
  for (let local = Math.ceil((start + shift) / step) * step; ; local += step) {
    // The clocks may have changed since the start; in that case the local time is the round one.
    const at = local - shiftAt(local - shift, zone);
    if (at >= end) return ticks;
    if (at >= start) ticks.push({ at, ...textOf(at, step, zone) });
  }
}

/** The factor by which an axis extends above the highest bar. */
const HEADROOM = 1.1;
/** The maximum number of lines of an axis. */
const MARKS_MAX = 3;

/**
 * An axis of counts: its end, which is a little above the highest count, and the round numbers that
 * it shows.
 */
export function countAxis(highest: number): { top: number; marks: number[] } {
  const top = Math.max(highest, 1) * HEADROOM;
  const power = 10 ** Math.floor(Math.log10(top / MARKS_MAX));
  const step = Math.max([1, 2, 5, 10].map((factor) => factor * power).find(isEnough) ?? 1, 1);
  return { top, marks: Array.from({ length: Math.floor(top / step) }, (_, at) => (at + 1) * step) };

  function isEnough(each: number): boolean {
    return Math.floor(top / each) <= MARKS_MAX;
  }
}

/** A round number on an axis: `500`, `2.5 k`, `40 k`, `1 M`. */
export function formatShort(count: number): string {
  if (count >= 1e9) return `${count / 1e9} G`;
  if (count >= 1e6) return `${count / 1e6} M`;
  return count >= 1e3 ? `${count / 1e3} k` : String(count);
}

/** `500 ms`, `30 s`, `5 min`, `2 h`, `1 d` */
export function formatSpan(ms: number): string {
  if (ms < SECOND) return `${ms} ms`;
  if (ms < MINUTE) return `${ms / SECOND} s`;
  if (ms < HOUR) return `${Number((ms / MINUTE).toFixed(1))} min`;
  if (ms < DAY) return `${Number((ms / HOUR).toFixed(1))} h`;
  return `${Number((ms / DAY).toFixed(1))} d`;
}

function textOf(at: number, step: number, zone: Zone): Omit<Tick, 'at'> {
  const { date, clock } = partsOf(new Date(at).toISOString(), zone) ?? { date: '', clock: '' };
  if (step >= 182 * DAY) return { text: date.slice(0, 7), isDay: true };
  if (step >= DAY || clock.startsWith('00:00:00')) return { text: date.slice(5), isDay: true };
  return { text: clock.slice(0, step < MINUTE ? 8 : 5), isDay: false };
}

/** The offset of the zone's clock from UTC. */
function shiftAt(at: number, zone: Zone): number {
  return zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset() * MINUTE;
}
