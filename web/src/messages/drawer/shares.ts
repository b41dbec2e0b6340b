/** The shares of a message's values among all messages of the search. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Facet } from '../../api/model';
import { edited } from '../../api/query';
import { scopeOf } from '../messageState';
import type { MessageState } from '../messageState';

export type Shares = { total: number; fields: Readonly<Record<string, Facet>> };
export type Share = { part: number; /** Whether it is less than that. */ atMost: boolean };

/** Maximum number of fields that the server counts at once. */
const FIELDS_MAX = 32;
const VALUES_MAX = 50;
const SHOWN_MAX = 4;
const FRESH_MS = 60_000;
const SEVERITY = 'severity';

/** Syslog's `err` and the worse severities. */
const errors: ReadonlySet<string> = new Set(['emerg', 'alert', 'crit', 'err']);

/** Messages with the same fields share one answer. */
export function sharesQuery(state: MessageState, names: readonly string[]) {
  const scope = scopeOf(state);
  const fields = [...new Set([SEVERITY, ...names])].sort().slice(0, FIELDS_MAX);
  return queryOptions({
    queryKey: ['shares', scope, fields],
    queryFn: async ({ signal }): Promise<Shares> => {
      const body = { ...scope, fields, limit: VALUES_MAX };
      const [facets, { count }] = await Promise.all([
        unwrap(client.POST('/api/v1/facets', { body, signal })),
        unwrap(client.POST('/api/v1/count', { body: scope, signal })),
      ]);
      return { total: count, fields: facets.fields };
    },
    staleTime: FRESH_MS,
    retry: false,
  });
}

/** The share of the search's errors that have this value; null if there are none. */
export function errorsQuery(state: MessageState, field: string, value: string, shares: Shares) {
  const scope = scopeOf(state);
  return queryOptions({
    queryKey: ['errors', scope, field, value],
    queryFn: async ({ signal }): Promise<number | null> => {
      const all = errorsIn(shares.fields[SEVERITY]);
      if (all === 0) return null;
      const query = await edited(scope.query ?? '', [{ op: 'include', field, value }], signal);
      const body = { ...scope, query, fields: [SEVERITY] };
      const { fields } = await unwrap(client.POST('/api/v1/facets', { body, signal }));
      return Math.min(1, errorsIn(fields[SEVERITY]) / all);
    },
    staleTime: FRESH_MS,
    retry: false,
  });
}

/**
 * Null if unknown. For a value that is not among the most frequent ones, only an upper bound is
 * known.
 */
export function shareOf({ total, fields }: Shares, field: string, value: string): Share | null {
  const facet = fields[field];
  if (facet === undefined || total === 0) return null;
  const count = facet.values.find((one) => one.value === value)?.count;
  if (count !== undefined) return { part: Math.min(1, count / total), atMost: false };
  const least = facet.values.at(-1)?.count;
  return least === undefined ? null : { part: least / total, atMost: true };
}

export function shareText({ part, atMost }: Share): string {
  const percent = Math.round(part * 100);
  if (percent < 1) return '< 1 %';
  if (atMost) return `≤ ${percent} %`;
  return percent === 100 && part < 1 ? '> 99 %' : `${percent} %`;
}

/** The most frequent values, and this one if it is not among them. */
export function shownValues(facet: Facet, value: string): Facet['values'] {
  const first = facet.values.slice(0, SHOWN_MAX);
  const own = facet.values.find((one) => one.value === value);
  return own === undefined || first.includes(own) ? first : [...first, own];
}

function errorsIn(facet: Facet | undefined): number {
  const bad = facet?.values.filter(({ value }) => errors.has(value)) ?? [];
  return bad.reduce((sum, { count }) => sum + count, 0);
}
