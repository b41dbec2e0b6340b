/** Describes in one line what a tail is doing, and why there may be nothing to see. */
import type { EventsState } from '../api/events';
import { formatRate } from '../ui/number';
import { type Zone, formatAge, partsOf } from '../ui/time';
import type { Meter } from './tail';

const IDLE_AFTER_MS = 10_000;

export function stateText(connection: EventsState, paused: boolean, now: number): string {
  if (paused)
    return connection.kind === 'closed' ? 'Paused, the rest waits on the server' : 'Paused';
  switch (connection.kind) {
    case 'connecting':
      return 'Connecting…';
    case 'open':
      return 'Live';
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((connection.retryAt - now) / 1000));
      return `Disconnected, retrying ${seconds === 0 ? 'now' : `in ${seconds} s`}`;
    }
    case 'refused':
      return 'Refused';
    case 'closed':
      return 'Closed';
  }
}

/** The description; null while matches arrive. */
export function idleText(meter: Meter, zone: Zone): string | null {
  const { now, lastMatchAt, received } = meter;
  if (received === null || (lastMatchAt !== null && now - lastMatchAt < IDLE_AFTER_MS)) return null;
  const arriving = received === 0 ? 'receiving nothing' : `receiving ${formatRate(received)}/s`;
  if (lastMatchAt === null) return `No matches yet, ${arriving}`;
  const last = new Date(lastMatchAt).toISOString();
  const age = formatAge(last, now).replace(/ ago$/, '');
  return `No matches for ${age}, last at ${clockText(lastMatchAt, zone)}, ${arriving}`;
}

/** `12/s`, or `2 000 of 20 258/s shown` if not all matches are sent. */
export function matchingText({ matched, shown }: Pick<Meter, 'matched' | 'shown'>): string {
  if (matched === null) return '–';
  if (shown === null || shown >= matched) return `${formatRate(matched)}/s`;
  return `${formatRate(shown)} of ${formatRate(matched)}/s shown`;
}

/** `03:04:05` */
export function clockText(ms: number, zone: Zone): string {
  return partsOf(new Date(ms).toISOString(), zone)?.clock.slice(0, 8) ?? '';
}
