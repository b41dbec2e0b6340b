/** The state of the running server: its counters, its problems, and how much it received lately. */
import { queryOptions } from '@tanstack/react-query';
import { client, isRefusal, unwrap } from './client';
import type { RouterStatus } from './model';

const POLL_MS = 2_000;
/** Five minutes of samples. */
const SAMPLES_MAX = 150;
const PAST_STEP_S = 10;

export const statusQuery = queryOptions({
  queryKey: ['router', 'status'],
  queryFn: ({ signal }): Promise<RouterStatus> =>
    unwrap(client.GET('/api/v1/router/status', { signal })),
  refetchInterval: ({ state: { error } }) => !isRefusal(error) && POLL_MS,
});

/** Messages received per second at a moment. */
export type Sample = { at: number; rate: number };

/** The messages stored in the minutes before this tab was open, as received. Empty if unknown. */
async function pastSamples(signal: AbortSignal): Promise<readonly Sample[]> {
  const body = { query: '*', from: '-5m', interval: `${PAST_STEP_S}s` };
  const { data } = await client
    .POST('/api/v1/histogram', { body, signal })
    .catch(() => ({ data: undefined }));
  return samplesOf(data?.buckets ?? []);
}

/** Without the last bucket: it has not ended, so its count says nothing about the rate. */
export function samplesOf(buckets: readonly { time: string; count: number }[]): Sample[] {
  return buckets.slice(0, -1).map(({ time, count }) => ({
    at: Date.parse(time) + PAST_STEP_S * 1000,
    rate: count / PAST_STEP_S,
  }));
}

/** The rate of the last minutes. Each new status is a sample. */
export const ingestQuery = queryOptions({
  queryKey: ['ingest'],
  queryFn: async ({ client: cache, signal }): Promise<readonly Sample[]> => {
    const status = await unwrap(client.GET('/api/v1/router/status', { signal }));
    cache.setQueryData(statusQuery.queryKey, status);
    const before = cache.getQueryData<readonly Sample[]>(['ingest']) ?? (await pastSamples(signal));
    const rate = ingestRate(status);
    return rate === null ? before : [...before, { at: Date.now(), rate }].slice(-SAMPLES_MAX);
  },
  // Without the right to see it, or without a session, asking stops.
  refetchInterval: ({ state: { error } }) => !isRefusal(error) && POLL_MS,
  gcTime: Infinity,
  // A list that only grows has nothing to share with the one before.
  structuralSharing: false,
});

/** The sum over all sources; null until each of them is measured. */
export function ingestRate({ sources }: RouterStatus): number | null {
  return sources.reduce<number | null>(
    (sum, { messages_per_second: rate }) => (sum === null || rate === null ? null : sum + rate),
    0,
  );
}

/** The backlog of sealing. */
export function unsealedMessages({ logspaces }: RouterStatus): number {
  return logspaces.reduce((sum, { unsealed_messages }) => sum + unsealed_messages, 0);
}

export function storedBytes({ logspaces }: RouterStatus): number {
  return logspaces.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0);
}

type Listener = RouterStatus['sources'][number]['listeners'][number];

export function failedListeners(listeners: readonly Listener[]): Listener[] {
  return listeners.filter(({ state }) => state !== 'listening');
}

/** The addresses of the listeners that are up. */
export function listeningUrls({ sources }: RouterStatus): string[] {
  const listeners = sources.flatMap((source) => source.listeners);
  return listeners.filter(({ state }) => state === 'listening').map(({ url }) => url);
}
