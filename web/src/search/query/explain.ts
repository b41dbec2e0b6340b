/** The server's interpretation of a query, requested while it is typed. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { ExplainResult } from '../../api/model';
import { formatCount } from '../../ui/number';
import { requestRange } from '../../ui/range';
import type { SearchState } from '../searchParams';

const FRESH_MS = 30_000;

type Where = Pick<SearchState, 'range' | 'logspaces'>;

/** Explains the whole query, including its stages. */
export function explainQuery(query: string, { range, logspaces }: Where) {
  const body = {
    query,
    unparsed: 'text' as const,
    ...requestRange(range),
    ...(logspaces.length > 0 && { logspaces: [...logspaces] }),
  };
  return queryOptions({
    queryKey: ['explain', body],
    queryFn: ({ signal }): Promise<ExplainResult> =>
      unwrap(client.POST('/api/v1/explain', { body, signal })),
    enabled: query.trim() !== '',
    staleTime: FRESH_MS,
    retry: false,
  });
}

/**
 * Whether a query cannot be parsed, so that it is searched for as plain text; false until the
 * server has said so.
 */
export function useIsText(state: Where & { query: string }): boolean {
  const { data } = useQuery(explainQuery(state.query, state));
  return data?.warnings.some(({ code }) => code === 'unparsed_text') ?? false;
}

/** The reason for the cost, and advice for slow queries. */
export function costReason({ cost, sum }: Pick<ExplainResult, 'cost' | 'sum'>): string {
  const looked = sum.undecided_messages + sum.tail_messages;
  const reason =
    looked === 0
      ? 'The index answers all of it.'
      : `${formatCount(looked)} messages are looked at one by one; the index answers the rest.`;
  switch (cost) {
    case 'instant':
    case 'quick':
      return reason;
    case 'slow':
    case 'very_slow':
      return `${reason} A shorter time, a field or a whole word makes it faster.`;
  }
}
