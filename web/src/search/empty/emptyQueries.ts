/** The requests after an empty result: for the clause to blame, and for the nearest match. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { SearchRequest } from '../../api/model';
import type { TimeRange } from '../../ui/range';
import { scopeOf } from '../../messages/messageState';
import type { SearchState } from '../searchParams';

/** The maximum number of clauses that are counted: each costs two counts. */
export const CLAUSES_MAX = 8;

const FRESH_MS = 30_000;
const HALF_HOUR_MS = 1_800_000;

export function countQuery(state: SearchState, query: string) {
  const body = scopeOf({ ...state, query });
  return queryOptions({
    queryKey: ['count', body],
    queryFn: async ({ signal }): Promise<number> =>
      (await unwrap(client.POST('/api/v1/count', { body, signal }))).count,
    staleTime: FRESH_MS,
    retry: false,
  });
}

export type Nearest = { time: string; side: 'before' | 'after' };

/** The match outside of the range that is closest to it; null if there is none at any time. */
export function nearestQuery(state: SearchState) {
  const { query, unparsed, from, to, logspaces } = scopeOf(state);
  const common = {
    limit: 1,
    ...(query !== undefined && { query }),
    ...(unparsed !== undefined && { unparsed }),
    ...(logspaces !== undefined && { logspaces }),
  };
  return queryOptions({
    queryKey: ['nearest', common, from, to],
    queryFn: async ({ signal }): Promise<Nearest | null> => {
      const ask = async (body: SearchRequest) =>
        timeOf(await unwrap(client.POST('/api/v1/search', { body, signal })));
      const [before, after] = await Promise.all([
        from == null ? undefined : ask({ ...common, to: from, order: 'newest' }),
        to == null ? undefined : ask({ ...common, from: to, order: 'oldest' }),
      ]);
      return nearestOf(before, after, from, to);
    },
    staleTime: FRESH_MS,
    retry: false,
  });
}

/** A range with relative ends is near the present, and so are the messages before it. */
export function nearestOf(
  before: string | undefined,
  after: string | undefined,
  from: string | null | undefined,
  to: string | null | undefined,
): Nearest | null {
  if (before === undefined) return after === undefined ? null : { time: after, side: 'after' };
  if (after === undefined) return { time: before, side: 'before' };
  const distanceBefore = Math.abs(Date.parse(from ?? '') - Date.parse(before));
  const distanceAfter = Math.abs(Date.parse(after) - Date.parse(to ?? ''));
  return distanceAfter < distanceBefore
    ? { time: after, side: 'after' }
    : { time: before, side: 'before' };
}

export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: async ({ signal }) =>
    (await unwrap(client.GET('/api/v1/router/status', { signal }))).sources,
  staleTime: FRESH_MS,
  retry: false,
});

/** The hour around a moment. */
export function hourAround(time: string): TimeRange {
  const at = Date.parse(time);
  return {
    kind: 'between',
    from: new Date(at - HALF_HOUR_MS).toISOString(),
    to: new Date(at + HALF_HOUR_MS).toISOString(),
  };
}

type Page = { messages: readonly { time: string }[] };

function timeOf(page: Page): string | undefined {
  return page.messages[0]?.time;
}
