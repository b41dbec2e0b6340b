/** The requests of the search page. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, client, cutOff, unwrap } from '../api/client';
import { postLines } from '../api/lines';
import type { Facet, Histogram, OverviewLine, SearchResult } from '../api/model';
import { canRefresh } from '../ui/range';
import { scopeOf } from '../messages/messageState';
import type { SearchState } from './searchParams';
import { commonFields } from '../messages/facets/groups';

const PAGE_MESSAGES = 200;
/** The number of bars: enough for ten-minute bars in a day, and for one-hour bars in a week. */
const BUCKETS = 180;
const FACET_VALUES = 10;

const RECEIVED_FRESH_MS = 10_000;
const FIRST_RUN_WAIT_MS = 1_000;

/** The messages, newest first, a page at a time. */
export function searchQuery(state: SearchState) {
  const scope = scopeOf(state);
  return infiniteQueryOptions({
    queryKey: ['search', scope],
    queryFn: ({ pageParam, signal }): Promise<SearchResult> => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      const body = { ...scope, ...cursor, limit: PAGE_MESSAGES };
      return unwrap(client.POST('/api/v1/search', { body, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.cursor,
  });
}

/** The distribution of all matches over time and over the values of fields. */
export type Summary = {
  histogram?: Histogram;
  facets?: Record<string, Facet>;
  /** While counting is in progress: the share of the range, from its end, that is included. */
  fraction?: number;
  /** Whether the summary is complete. */
  done: boolean;
  /** Whether every existing message was examined. */
  complete: boolean;
  took_ms: number;
  /** The number of copies that are not counted; known once counting is done. */
  copies?: number;
};

/**
 * The first summary is shown as it grows; afterwards each new summary replaces the previous one as
 * a whole.
 */
export function summaryQuery(state: SearchState) {
  const body = {
    ...scopeOf(state),
    limit: 1,
    buckets: BUCKETS,
    facet_limit: FACET_VALUES,
    fields: [...new Set([...state.facets, ...commonFields])],
    own_clauses: false,
    ...(state.split !== '' && { by: state.split }),
  };
  const queryKey = ['summary', body];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client: cache }): Promise<Summary> => {
      let summary: Summary = { done: false, complete: false, took_ms: 0 };
      let timer: ReturnType<typeof setTimeout> | undefined;
      // Lines that arrive together are shown together.
      const show = () => {
        timer = undefined;
        const shown = cache.getQueryData<Summary>(queryKey);
        if (shown?.done !== true) cache.setQueryData(queryKey, summary);
      };
      try {
        for await (const line of postLines<OverviewLine>('/api/v1/overview', body, signal)) {
          if (line.error) throw new ApiError(line.error);
          if (line.progress) summary = { ...summary, ...line.progress };
          if (line.histogram) summary = { ...summary, histogram: line.histogram, fraction: 1 };
          if (line.facets) summary = { ...summary, facets: line.facets };
          if (line.end) {
            const { coverage, took_ms, copies } = line.end;
            summary = { ...summary, done: true, complete: coverage.complete, took_ms, copies };
          }
          timer ??= setTimeout(show);
        }
      } finally {
        clearTimeout(timer);
      }
      if (!summary.done) throw cutOff();
      return summary;
    },
    // The previous bars are kept, dimmed, until there are new ones.
    placeholderData: keepPreviousData,
  });
}

/**
 * All messages that arrived in the same range, to distinguish silence from messages that do not
 * match.
 */
export function receivedQuery(state: SearchState) {
  const body = { ...scopeOf({ ...state, query: '*' }), buckets: BUCKETS };
  return queryOptions({
    queryKey: ['received', body],
    queryFn: ({ signal }) => unwrap(client.POST('/api/v1/histogram', { body, signal })),
    staleTime: RECEIVED_FRESH_MS,
    refetchInterval: canRefresh(state.range) && state.refresh !== 'off' && RECEIVED_FRESH_MS,
  });
}

/**
 * Whether nothing but Logstead's own log has ever been received. Requested again until something
 * has.
 */
export const firstRunQuery = queryOptions({
  queryKey: ['first-run'],
  queryFn: async ({ signal }): Promise<boolean> => {
    const body = { query: '-source=internal', limit: 1 };
    const { messages } = await unwrap(client.POST('/api/v1/search', { body, signal }));
    return messages.length === 0;
  },
  staleTime: Infinity,
  refetchInterval: ({ state: { data } }) => data === true && FIRST_RUN_WAIT_MS,
});

/** The addresses of the running listeners, to which a first message can be sent. */
export const listenersQuery = queryOptions({
  queryKey: ['listeners'],
  queryFn: async ({ signal }): Promise<string[]> => {
    const { sources } = await unwrap(client.GET('/api/v1/router/status', { signal }));
    const listeners = sources.flatMap((source) => source.listeners);
    return listeners.filter(({ state }) => state === 'listening').map(({ url }) => url);
  },
  staleTime: 30_000,
});
