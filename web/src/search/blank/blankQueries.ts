/**
 * The requests of the blank page: a few counts over everything in scope, in the range and before
 * it.
 */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Histogram } from '../../api/model';
import { edited } from '../../api/query';
import { type RequestRange, requestRange } from '../../ui/range';
import type { SearchState } from '../searchParams';
import type { CountedValue } from './answers';
import { rangeBefore, silenceOf } from './ranges';

export const ERRORS = 'severity>=err';

/** The number of bars in a small chart. */
const BUCKETS = 40;
/** The number of values of a field that are compared. If there are more, the answer is about the most frequent. */
const VALUES_MAX = 10_000;
const FRESH_MS = 30_000;

type Scope = Pick<SearchState, 'range' | 'logspaces'>;

function logspacesOf({ logspaces }: Scope) {
  return logspaces.length > 0 ? { logspaces: [...logspaces] } : {};
}

/** The counts over time, by the values of a field. */
export function overTimeQuery(scope: Scope, query: string, by: string) {
  const body = {
    query,
    by,
    buckets: BUCKETS,
    ...requestRange(scope.range),
    ...logspacesOf(scope),
  };
  return queryOptions({
    queryKey: ['blank', 'over-time', body],
    queryFn: ({ signal }): Promise<Histogram> =>
      unwrap(client.POST('/api/v1/histogram', { body, signal })),
    staleTime: FRESH_MS,
  });
}

export function nowQuery(scope: Scope) {
  return valuesQuery(scope, '*', requestRange(scope.range));
}

export function beforeQuery(scope: Scope, query = '*') {
  return valuesQuery(scope, query, rangeBefore(scope.range));
}

export function latelyQuery(scope: Scope) {
  const silence = silenceOf(scope.range);
  return valuesQuery(scope, '*', silence === null ? null : { from: `-${silence}` });
}

export type Values = { host: readonly CountedValue[]; program: readonly CountedValue[] };

/** The hosts and programs in a range of time; not requested without a range. */
function valuesQuery(scope: Scope, query: string, range: RequestRange | null) {
  const body = {
    query,
    fields: ['host', 'program'],
    limit: VALUES_MAX,
    ...range,
    ...logspacesOf(scope),
  };
  return queryOptions({
    queryKey: ['blank', 'values', body],
    queryFn: async ({ signal }): Promise<Values> => {
      const { fields } = await unwrap(client.POST('/api/v1/facets', { body, signal }));
      return { host: fields['host']?.values ?? [], program: fields['program']?.values ?? [] };
    },
    enabled: range !== null,
    staleTime: FRESH_MS,
  });
}

/** The time when a host last sent. */
export function lastHeardQuery(scope: Scope, host: string) {
  return queryOptions({
    queryKey: ['blank', 'last-heard', host, scope.logspaces],
    queryFn: async ({ signal }): Promise<string | null> => {
      const query = await edited('', [{ op: 'include', field: 'host', value: host }], signal);
      const body = { query, limit: 1, ...logspacesOf(scope) };
      const { messages } = await unwrap(client.POST('/api/v1/search', { body, signal }));
      return messages[0]?.time ?? null;
    },
    staleTime: FRESH_MS,
  });
}
