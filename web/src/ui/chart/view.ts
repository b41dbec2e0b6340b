/** The bars of a histogram, and descriptions of its spans in words. */
import { type Zone, formatTime } from '../time';
import { type Cursor, spanOfCursor } from './selection';
import type { Stack } from './stack';

export type BarsView = {
  stack: Stack;
  zone: Zone;
  /** The spans in which nothing at all was received, which is not the same as no matches. */
  silent: readonly boolean[];
  /** The share of the span, from its end, that is known so far: 0 to 1. */
  known: number;
  /** The counts of each bucket at another time, as a line. */
  before?: readonly number[] | undefined;
  /** Moments that are marked above the bars. */
  events?: readonly ChartEvent[] | undefined;
};

export type ChartEvent = { at: number; text: string };

export function sumOf(counts: readonly number[], first: number, last: number): number {
  return counts.slice(first, last + 1).reduce((sum, each) => sum + each, 0);
}

type ValueView = Pick<BarsView, 'stack' | 'events' | 'zone'>;

/** The text for screen readers at the position of the cursor. */
export function valueText({ stack, events, zone }: ValueView, cursor: Cursor | null): string {
  if (cursor === null) return 'Arrow keys walk, with Shift they mark, Enter zooms, minus zooms out';
  const { first, last } = spanOfCursor(cursor);
  const parts = stack.layers.flatMap(({ label, counts }) => {
    const count = sumOf(counts, first, last);
    return count > 0 && stack.layers.length > 1 ? [`${label} ${count}`] : [];
  });
  const total = sumOf(stack.totals, first, last);
  const told = eventsIn(stack, events, first, last).map((event) => eventText(event, zone));
  return [spanText(stack, first, last, zone), `${total} messages`, ...parts, ...told].join(', ');
}

export function eventsIn(
  { times, intervalMs }: Stack,
  events: readonly ChartEvent[] | undefined,
  first: number,
  last: number,
): readonly ChartEvent[] {
  const from = times[first] ?? 0;
  const to = (times[last] ?? 0) + intervalMs;
  return (events ?? []).filter(({ at }) => from <= at && at < to);
}

export function eventText({ at, text }: ChartEvent, zone: Zone): string {
  return `${textOf(Math.floor(at / 1000) * 1000, zone)}: ${text}`;
}

export function spanText(
  { times, intervalMs }: Stack,
  first: number,
  last: number,
  zone: Zone,
): string {
  const from = textOf(times[first] ?? 0, zone);
  const to = textOf((times[last] ?? 0) + intervalMs, zone);
  return `${from} – ${to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to}`;
}

/** The time in whole seconds, if that is sufficient. */
function textOf(at: number, zone: Zone): string {
  return formatTime(new Date(at).toISOString(), zone).replace(/\.000$/, '');
}
