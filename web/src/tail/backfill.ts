/** The matches in the minutes before a tail began, so that its chart is not empty at first. */
import { client, unwrap } from '../api/client';
import type { Histogram } from '../api/model';
import { requestZone } from '../ui/time';
import { type Second, SECONDS_MAX, toneNamed, tones } from './rates';

/** Rejects if the server gives no answer: the chart is then filled as time goes by. */
export async function pastSeconds(
  { query, logspaces }: TailRequest,
  signal: AbortSignal,
): Promise<Second[]> {
  const zone = requestZone();
  const body = {
    query,
    from: `-${SECONDS_MAX}s`,
    interval: '1s',
    by: 'severity',
    ...(logspaces.length > 0 && { logspaces: [...logspaces] }),
    ...(zone !== 'UTC' && { timezone: zone }),
  };
  return secondsOf(await unwrap(client.POST('/api/v1/histogram', { body, signal })));
}

/**
 * The counts by tone, like the seconds of a tail. Messages without a known severity get the last
 * tone.
 */
export function secondsOf({
  buckets,
  interval_ms: intervalMs,
}: Pick<Histogram, 'buckets' | 'interval_ms'>): Second[] {
  // An empty store has no interval, and with a longer interval, seconds cannot be distinguished.
  if (intervalMs !== 1000) return [];
  return buckets.map(({ time, count, by = {} }) => {
    const counts = tones.map(() => 0);
    let rest = count;
    for (const [severity, amount] of Object.entries(by)) {
      const tone = tones.indexOf(toneNamed(severity));
      counts[tone] = (counts[tone] ?? 0) + amount;
      rest -= amount;
    }
    const none = tones.indexOf('none');
    counts[none] = (counts[none] ?? 0) + Math.max(0, rest);
    return { at: Math.floor(Date.parse(time) / 1000), total: count, counts, watched: true };
  });
}

export type TailRequest = { query: string; logspaces: readonly string[] };

/** The number of stored messages to start with, so that there is something to look at. */
const FIRST_MESSAGES = 200;

/** The requests of a tail. The most that one event brings. */
export const EVENT_MESSAGES_MAX = 500;

/** A position is sent in a header; with one, no stored messages are requested. */
export function tailPath({ query, logspaces }: TailRequest, position: string | null): string {
  const zone = requestZone();
  const params = new URLSearchParams({
    query,
    unparsed: 'text',
    ...(logspaces.length > 0 && { logspaces: logspaces.join(',') }),
    ...(zone !== 'UTC' && { timezone: zone }),
    ...(position === null && { last: String(FIRST_MESSAGES) }),
  });
  return `/api/v1/tail?${params.toString()}`;
}
