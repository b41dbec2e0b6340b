/**
 * A query as the server parses it, and the changes to it that a click makes. Neither searches the
 * store.
 */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { CompleteResult, QueryEdit, QueryResult } from './model';
import * as Schemas from './types';

/** The parts of a query as the server parses it. The answer never changes. */
export function readingQuery(query: string) {
  return queryOptions({
    queryKey: ['reading', query],
    queryFn: ({ signal }): Promise<QueryResult> => read(query, [], signal),
    enabled: query.trim() !== '',
    staleTime: Infinity,
    retry: false,
  });
}

/** The query after these changes, for display. */
export function editedQuery(query: string, edits: readonly QueryEdit[]) {
  return queryOptions({
    queryKey: ['edited', query, edits],
    queryFn: ({ signal }): Promise<string> => edited(query, edits, signal),
    staleTime: Infinity,
    retry: false,
  });
}

/** The query after these changes. */
export async function edited(
  query: string,
  edits: readonly QueryEdit[],
  signal?: AbortSignal,
): Promise<string> {
  return (await read(query, edits, signal)).query;
}

/**
 * The query with a stage that finds fields in messages by a text with fields in it: `user=<user> from`. The server
 * quotes the text, and says what is wrong with it.
 */
export async function withExtract(query: string, pattern: string): Promise<string> {
  const field = 'message';
  const clause = await edited('', [{ op: 'include', field, value: pattern }]);
  const quoted = clause.slice(clause.indexOf('=') + 1);
  return edited(`${query.trim() || '*'} | extract ${quoted}`, []);
}

function read(
  query: string,
  edits: readonly QueryEdit[],
  signal?: AbortSignal,
): Promise<QueryResult> {
  const body = { query, unparsed: 'text' as const, edits: [...edits] };
  return unwrap(client.POST('/api/v1/query', { body, ...(signal !== undefined && { signal }) }));
}

/** The scope in which values are counted. */
type CompleteScope = {
  from?: string;
  to?: string;
  timezone?: string;
  logspaces: readonly string[];
};

/** Completion of queries by the server. */
export function completeIn({ logspaces, ...range }: CompleteScope) {
  return (query: string, cursor: number, signal: AbortSignal): Promise<CompleteResult> => {
    const chosen = logspaces.length > 0 ? { logspaces: [...logspaces] } : {};
    const body = { query, cursor, ...range, ...chosen };
    return unwrap(client.POST('/api/v1/complete', { body, signal }));
  };
}

/** A message at one point of its way through the routes. */
export type Shown = Schemas.ShownMessage;
export type TraceRoute = Schemas.RouteTrace;
export type Trace = Schemas.MessageTrace;

/** Asks the server for the way of a message through the routes. */
export function requestTrace(body: Schemas.TraceRequest): Promise<Trace> {
  return unwrap(client.POST('/api/v1/router/trace', { body }));
}
