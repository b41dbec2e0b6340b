/** The state that the message pages share: which messages are requested, and how they are shown. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../api/client';
import type { Message, SearchRequest } from '../api/model';
import { splitStages } from '../ui/query/lexer';
import { type TimeRange, requestRange } from '../ui/range';
import { address } from '../ui/open';

type MessageFilter = {
  query: string;
  range: TimeRange;
  /** Empty means all of them. */
  logspaces: readonly string[];
};

export type ListView = {
  view: View;
  /** The columns of the table after the time, from left to right. */
  columns: readonly string[];
  /** The fields that are pinned to the sidebar. */
  facets: readonly string[];
  /** The id of the message in the drawer. */
  open: string | null;
  tab: Tab;
  /**
   * The field by which the bars of the histogram are split; undefined on a page without a
   * histogram.
   */
  split?: string;
};

export type MessageState = MessageFilter & ListView;

export type View = 'lines' | 'table';
export type Tab = 'fields' | 'raw' | 'context' | 'path' | 'json';

export const views: readonly View[] = ['lines', 'table'];
export const tabs: readonly Tab[] = ['fields', 'raw', 'context', 'path', 'json'];

export const initialColumns: readonly string[] = ['host', 'program', 'severity', 'message'];
export const initialFacets: readonly string[] = ['severity', 'host', 'program'];

type Scope = Pick<SearchRequest, 'query' | 'unparsed' | 'from' | 'to' | 'logspaces' | 'timezone'>;

/**
 * The filter of the query: the stages make a table, which is requested separately. Pasted text that
 * is not a valid query is searched for too.
 */
export function scopeOf({ query, range, logspaces }: MessageFilter): Scope {
  return {
    query: splitStages(query).filter,
    unparsed: 'text',
    ...requestRange(range),
    ...(logspaces.length > 0 && { logspaces: [...logspaces] }),
  };
}

export function messageQuery(id: string) {
  return queryOptions({
    queryKey: ['message', id],
    queryFn: ({ signal }): Promise<Message> =>
      unwrap(client.GET('/api/v1/messages/{id}', { params: { path: { id } }, signal })),
    staleTime: Infinity,
  });
}

/** Addresses of messages. The message alone, found whatever the range of the search was. */
export function permalink(id: string): string {
  return address('/search', { from: 'all', open: id });
}

/**
 * The router page, with what is to be done there: a route for a query, a step that drops what is
 * like a message, a message to trace.
 */
export function routerHref(
  params: { route: string } | { mute: string; of: string } | { trace: string } | { item: string },
): string {
  return address('/router', params);
}
