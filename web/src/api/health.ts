/** Whether the server takes messages: its own answer, or since when it cannot be reached. */
import { queryOptions } from '@tanstack/react-query';

export type Health =
  | { state: 'ready' }
  | { state: 'not-ready'; reasons: string }
  | { state: 'unreachable'; since: number };

const POLL_MS = 5_000;
const POLL_AWAY_MS = 1_000;
const NOT_READY = 503;

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ client: cache, signal }): Promise<Health> => {
    const before = cache.getQueryData<Health>(['health']);
    const since = before?.state === 'unreachable' ? before.since : Date.now();
    try {
      const response = await fetch('/readyz', { signal, cache: 'no-store' });
      if (response.ok) return { state: 'ready' };
      // Any other failure comes from what stands between us and the server.
      if (response.status !== NOT_READY) return { state: 'unreachable', since };
      return { state: 'not-ready', reasons: (await response.text()).trim() };
    } catch (error) {
      if (signal.aborted) throw error;
      return { state: 'unreachable', since };
    }
  },
  refetchInterval: ({ state: { data } }) =>
    data?.state === 'unreachable' ? POLL_AWAY_MS : POLL_MS,
  // Nothing is requested while the page is hidden; it is requested as soon as the page is shown.
  refetchOnWindowFocus: 'always',
});
