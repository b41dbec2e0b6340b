/** The matches in the minutes before a tail began, so that its chart does not begin empty. */
import { client, unwrap } from '../api/client';
import type { Histogram } from '../api/model';
import { requestZone } from '../ui/time';
import { type Second, SECONDS_MAX, toneNamed, tones } from './rates';
import type { TailRequest } from './wire';

/** Rejects where the server does not say: then the chart fills as time goes by. */
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

/** In tones, like the seconds of a tail. Messages without a known severity have the last tone. */
export function secondsOf({
  buckets,
  interval_ms: intervalMs,
}: Pick<Histogram, 'buckets' | 'interval_ms'>): Second[] {
  // An empty store has no interval, and a longer interval does not tell the seconds.
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
