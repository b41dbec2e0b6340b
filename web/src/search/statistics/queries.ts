/** The requests of the statistics. */
import { queryOptions } from '@tanstack/react-query';
import { client, isRefusal, unwrap } from '../../api/client';
import type * as Schemas from '../../api/types';
import { type Moments, canRefresh, requestRange, resolve } from '../../ui/range';
import { type SearchState, refreshInterval } from '../searchParams';

export type Table = Pick<Schemas.AggregateResult, 'columns' | 'rows'>;
export type Column = Schemas.Column;
export type Cell = Schemas.TableCell;
/** `asked` are the ends of the range at the time of the request, which is `at`. */
export type TableAnswer = Schemas.AggregateResult & { asked: Moments; at: number };

/** A table is made from all matches, so it is refreshed less often than the newest messages. */
const REFRESH_MIN_MS = 2_000;
const REFRESH_REST_FACTOR = 10;

export function aggregateQuery(state: SearchState) {
  const body = {
    query: state.query,
    unparsed: 'text' as const,
    ...requestRange(state.range),
    ...(state.logspaces.length > 0 && { logspaces: [...state.logspaces] }),
  };
  const refreshMs = canRefresh(state.range) && refreshInterval(state.refresh);
  return queryOptions({
    queryKey: ['aggregate', body],
    queryFn: async ({ signal }): Promise<TableAnswer> => {
      const at = Date.now();
      const asked = resolve(state.range, at) ?? { from: null, to: null };
      const table = await unwrap(client.POST('/api/v1/aggregate', { body, signal }));
      return { ...table, asked, at };
    },
    // For another range the table keeps its columns, so the old one is shown meanwhile; for another query it does
    // not.
    placeholderData: (previous, asked) =>
      asked !== undefined && isOfQuery(asked.queryKey, body.query) ? previous : undefined,
    refetchInterval: ({ state: { data, error } }) =>
      !isRefusal(error) &&
      refreshMs !== false &&
      Math.max(refreshMs, REFRESH_MIN_MS, (data?.took_ms ?? 0) * REFRESH_REST_FACTOR),
  });
}

function isOfQuery([, body]: readonly unknown[], query: string): boolean {
  return typeof body === 'object' && body !== null && 'query' in body && body.query === query;
}
