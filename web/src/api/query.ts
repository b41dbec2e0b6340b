/** A query as the server reads it, and the changes that a click makes in it. Neither looks at the store. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { QueryEdit, QueryResponse } from './model';

/** The parts of a query as the server reads it. The answer never changes. */
export function readingQuery(query: string) {
  return queryOptions({
    queryKey: ['reading', query],
    queryFn: ({ signal }): Promise<QueryResponse> => read(query, [], signal),
    enabled: query.trim() !== '',
    staleTime: Infinity,
    retry: false,
  });
}

/** The query after these changes, to be shown. */
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
): Promise<QueryResponse> {
  const body = { query, unparsed: 'text' as const, edits: [...edits] };
  return unwrap(client.POST('/api/v1/query', { body, ...(signal !== undefined && { signal }) }));
}
