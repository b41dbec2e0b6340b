/** Says in one line what a tail is doing, and why there may be nothing to see. */
import type { EventsState } from '../api/events';
import { formatCount, formatRate } from '../ui/number';
import { type Zone, formatAge, partsOf } from '../ui/time';
import type { Meter } from './tail';

const IDLE_AFTER_MS = 10_000;

export function stateText(connection: EventsState, paused: boolean, now: number): string {
  if (paused)
    return connection.kind === 'closed' ? 'Paused: the rest waits at the server' : 'Paused';
  switch (connection.kind) {
    case 'connecting':
      return 'Connecting…';
    case 'open':
      return 'Live';
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((connection.retryAt - now) / 1000));
      return `Disconnected: trying again ${seconds === 0 ? 'now' : `in ${seconds} s`}`;
    }
    case 'refused':
      return 'Refused';
    case 'closed':
      return 'Closed';
  }
}

/** Null while matches come. */
export function idleText(meter: Meter, zone: Zone): string | null {
  const { now, lastMatchAt, received } = meter;
  if (received === null || (lastMatchAt !== null && now - lastMatchAt < IDLE_AFTER_MS)) return null;
  const arriving =
    received === 0 ? 'nothing is arriving' : `${formatRate(received)} messages/s arriving`;
  if (lastMatchAt === null) return `No match yet; ${arriving}`;
  const last = new Date(lastMatchAt).toISOString();
  const age = formatAge(last, now).replace(/ ago$/, '');
  return `No match for ${age}; last match ${clockText(lastMatchAt, zone)}; ${arriving}`;
}

/** Null while all matches are sent. */
export function sampledText({ sampledOneIn }: Meter): string | null {
  if (sampledOneIn === null || sampledOneIn <= 1) return null;
  return `1 of ${formatCount(sampledOneIn)} shown, all stored`;
}

/** `03:04:05` */
export function clockText(ms: number, zone: Zone): string {
  return partsOf(new Date(ms).toISOString(), zone)?.clock.slice(0, 8) ?? '';
}
