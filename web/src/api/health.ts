/** Whether the server takes messages: its own answer, or since when there is none. The whole console asks here, and nowhere else. */
import { queryOptions } from '@tanstack/react-query';
import { under } from '../base';

export type Health =
  | { state: 'ready' }
  | { state: 'not-ready'; reasons: string }
  /** `since` is when it answered last. One that is silent accepts connections and says nothing. */
  | { state: 'unreachable'; since: number; why: 'away' | 'silent' };

const POLL_MS = 5_000;
const POLL_AWAY_MS = 1_000;
/** It answers this in moments, also while it is busy. */
const ANSWER_MAX_MS = 10_000;
const NOT_READY = 503;
const KEY = ['health'];

export const healthQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ client: cache, signal }): Promise<Health> => {
    const before = cache.getQueryState<Health>(KEY);
    const answered = before?.dataUpdatedAt || Date.now();
    const since = before?.data?.state === 'unreachable' ? before.data.since : answered;
    const patience = AbortSignal.timeout(ANSWER_MAX_MS);
    try {
      const response = await fetch(under('/readyz'), {
        signal: AbortSignal.any([signal, patience]),
        cache: 'no-store',
      });
      if (response.ok) return { state: 'ready' };
      // Any other failure comes from what stands between us and the server.
      if (response.status !== NOT_READY) return { state: 'unreachable', since, why: 'away' };
      return { state: 'not-ready', reasons: (await response.text()).trim() };
    } catch (error) {
      if (signal.aborted) throw error;
      return { state: 'unreachable', since, why: patience.aborted ? 'silent' : 'away' };
    }
  },
  refetchInterval: ({ state: { data } }) =>
    data?.state === 'unreachable' ? POLL_AWAY_MS : POLL_MS,
  // Nothing is requested while the page is hidden; it is requested as soon as the page is shown.
  refetchOnWindowFocus: 'always',
});
