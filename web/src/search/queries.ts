/** What the search page asks the server. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, isRefusal, unwrap } from '../api/client';
import type { CountResponse, Message, SearchRequest, SearchResponse } from '../api/model';
import { type SearchState, requestRange } from './searchParams';

const PAGE_MESSAGES = 200;

/** How much longer than a search took the page waits before it repeats it, so that slow ones are not piled up. */
const REFRESH_REST_FACTOR = 10;

const FIRST_RUN_WAIT_MS = 1_000;

type Scope = Pick<SearchRequest, 'query' | 'from' | 'to' | 'logspaces'>;

function scopeOf(state: SearchState): Scope {
  return {
    query: state.query,
    ...requestRange(state.range),
    ...(state.logspaces.length > 0 && { logspaces: [...state.logspaces] }),
  };
}

/** The messages, newest first, a page at a time. Only a single page is ever refreshed on its own. */
export function searchQuery(state: SearchState, refreshMs: number | false) {
  const scope = scopeOf(state);
  return infiniteQueryOptions({
    queryKey: ['search', scope],
    queryFn: ({ pageParam, signal }): Promise<SearchResponse> => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      const body = { ...scope, ...cursor, limit: PAGE_MESSAGES };
      return unwrap(client.POST('/api/v1/search', { body, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: ({ state: { data, error } }) => {
      if (isRefusal(error) || refreshMs === false || (data !== undefined && data.pages.length > 1))
        return false;
      return Math.max(refreshMs, (data?.pages[0]?.took_ms ?? 0) * REFRESH_REST_FACTOR);
    },
  });
}

/** How many messages match in all. */
export function countQuery(state: SearchState, refreshMs: number | false) {
  const body = scopeOf(state);
  return queryOptions({
    queryKey: ['count', body],
    queryFn: ({ signal }): Promise<CountResponse> =>
      unwrap(client.POST('/api/v1/count', { body, signal })),
    refetchInterval: ({ state: { data, error } }) =>
      !isRefusal(error) &&
      refreshMs !== false &&
      Math.max(refreshMs, (data?.took_ms ?? 0) * REFRESH_REST_FACTOR),
  });
}

export function messageQuery(id: string) {
  return queryOptions({
    queryKey: ['message', id],
    queryFn: ({ signal }): Promise<Message> =>
      unwrap(client.GET('/api/v1/messages/{id}', { params: { path: { id } }, signal })),
    staleTime: Infinity,
  });
}

export const logspacesQuery = queryOptions({
  queryKey: ['logspaces'],
  queryFn: async ({ signal }) =>
    (await unwrap(client.GET('/api/v1/logspaces', { signal }))).logspaces,
  staleTime: 30_000,
});

/** Whether nothing but Logstead's own log has ever come in. Asked again until something has. */
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

/** Where a first message can be sent: the addresses of the listeners that are up. */
export const listenersQuery = queryOptions({
  queryKey: ['listeners'],
  queryFn: async ({ signal }): Promise<string[]> => {
    const { sources } = await unwrap(client.GET('/api/v1/router/status', { signal }));
    const listeners = sources.flatMap((source) => source.listeners);
    return listeners.filter(({ state }) => state === 'listening').map(({ url }) => url);
  },
  staleTime: 30_000,
});
