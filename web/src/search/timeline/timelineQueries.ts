/** The requests of the histogram besides its counts: the range before, and when the router changed. */
import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Histogram } from '../../api/model';
import type { ChartEvent } from '../../ui/chart/view';
import { scopeOf } from '../../messages/messageState';
import type { SearchState } from '../searchParams';
import type { Span } from './rangeBefore';

/** A range in the past does not change, except for late messages. */
const FRESH_MS = 60_000;
/** Most revisions that are marked. */
const REVISIONS_MAX = 50;

/** The histogram of another range. */
export function beforeQuery(state: SearchState, span: Span | null) {
  const body = { ...scopeOf(state), ...span };
  return queryOptions({
    queryKey: ['before', body],
    queryFn:
      span === null
        ? skipToken
        : ({ signal }): Promise<Histogram> =>
            unwrap(client.POST('/api/v1/histogram', { body, signal })),
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** When revisions of the router went live. */
export const revisionsQuery = queryOptions({
  queryKey: ['timeline', 'revisions'],
  queryFn: async ({ signal }): Promise<ChartEvent[]> => {
    const { revisions } = await unwrap(client.GET('/api/v1/router/revisions', { signal }));
    return revisions
      .slice(0, REVISIONS_MAX)
      .map(({ revision, author, comment, created_at: at }) => ({
        at: Date.parse(at),
        text: `Router revision ${revision} by ${author}${comment === '' ? '' : `: ${comment}`}`,
      }));
  },
  staleTime: FRESH_MS,
  retry: false,
});
