/** The rows of the list: the messages, and a line at each start of a new day. */
import type { Message } from '../../api/model';
import { dayOf } from '../../ui/message/times';
import type { Zone } from '../../ui/time';

export type Row = { kind: 'message'; index: number } | { kind: 'day'; day: string };

/** Rows are numbered from the top; the messages among them keep their own index. */
export type Rows = {
  count: number;
  /**
   * The indexes of the messages that begin a new day, in ascending order; never the first message.
   */
  starts: readonly number[];
  /** The days that begin with these messages. */
  days: readonly string[];
  /** The day of the first message. */
  first: string;
};

/** Reads one message per day, and a few more to find its end, as the list is in order of time. */
export function rowsOf(messages: readonly Message[], zone: Zone): Rows {
  const starts: number[] = [];
  const days: string[] = [];
  const first = dayAt(messages, 0, zone);
  let day = first;
  let at = 0;
  for (;;) {
    at = endOfDay(messages, at, day, zone);
    if (at >= messages.length) break;
    day = dayAt(messages, at, zone);
    starts.push(at);
    days.push(day);
  }
  return { count: messages.length + starts.length, starts, days, first };
}

export function rowAt({ starts, days }: Rows, place: number): Row {
  const before = startsUpTo(starts, (start, nth) => start + nth <= place);
  const start = starts[before - 1];
  if (start !== undefined && start + before - 1 === place) {
    return { kind: 'day', day: days[before - 1] ?? '' };
  }
  return { kind: 'message', index: place - before };
}

/** The row number of the message with this index. */
export function placeOf({ starts }: Rows, index: number): number {
  return index + startsUpTo(starts, (start) => start <= index);
}

/** The day that the row with this number belongs to. */
export function dayShown(rows: Rows, place: number): string {
  const before = startsUpTo(rows.starts, (start, nth) => start + nth <= place);
  return rows.days[before - 1] ?? rows.first;
}

/** The next message in a direction that fulfils a condition, or null. */
export function findFrom(
  messages: readonly Message[],
  from: number,
  step: 1 | -1,
  passes: (message: Message) => boolean,
): number | null {
  for (let at = from + step; at >= 0 && at < messages.length; at += step) {
    const message = messages[at];
    if (message !== undefined && passes(message)) return at;
  }
  return null;
}

/**
 * Searches by doubling steps, then by halves: a day with a hundred thousand messages takes about
 * thirty steps.
 */
function endOfDay(messages: readonly Message[], from: number, day: string, zone: Zone): number {
  let low = from;
  let leap = 1;
  while (low + leap < messages.length && dayAt(messages, low + leap, zone) === day) {
    low += leap;
    leap *= 2;
  }
  let high = Math.min(low + leap, messages.length);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (dayAt(messages, middle, zone) === day) low = middle;
    else high = middle;
  }
  return Math.max(high, from + 1);
}

function dayAt(messages: readonly Message[], index: number, zone: Zone): string {
  const message = messages[index];
  return message === undefined ? '' : dayOf(message.time, zone);
}

/** The number of ascending starts that fulfil a condition; these come first. */
function startsUpTo(
  starts: readonly number[],
  passes: (start: number, nth: number) => boolean,
): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(starts[middle] ?? 0, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
