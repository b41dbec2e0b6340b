/** What the sidebar asks when a field is looked at more closely. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Facet } from '../../api/model';
import { edited } from '../../api/query';
import { scopeOf } from '../queries';
import type { SearchState } from '../searchParams';

const FRESH_MS = 10_000;

/** More values of one field, or those that hold a text. */
export function valuesQuery(state: SearchState, field: string, limit: number, text: string) {
  const scope = scopeOf(state);
  const body = { ...scope, fields: [field], limit };
  const holding = (part: string, signal: AbortSignal) =>
    edited(scope.query ?? '', [{ op: 'include', field, part }], signal);
  return queryOptions({
    queryKey: ['facet', body, text],
    queryFn: async ({ signal }): Promise<Facet | undefined> => {
      const asked = text === '' ? body : { ...body, query: await holding(text, signal) };
      return (await unwrap(client.POST('/api/v1/facets', { body: asked, signal }))).fields[field];
    },
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export type NumberSummary = readonly { name: string; value: string }[];

/** The least, the mean, the 95th percentile and the greatest. */
export function numbersQuery(state: SearchState, field: string) {
  const scope = scopeOf(state);
  return queryOptions({
    queryKey: ['numbers', scope, field],
    queryFn: async ({ signal }): Promise<NumberSummary> => {
      const query = await edited(scope.query ?? '', [{ op: 'summarize', field }], signal);
      const body = { ...scope, query };
      const table = await unwrap(client.POST('/api/v1/aggregate', { body, signal }));
      return table.columns.map(({ name: column }, at) => ({
        name: column,
        value: numberText(table.rows[0]?.[at]),
      }));
    },
    staleTime: FRESH_MS,
    retry: false,
  });
}

/** The names of fields that go on as `text` begins. */
export function fieldNamesQuery(state: SearchState, text: string) {
  const { from, to, logspaces } = scopeOf(state);
  const body = {
    query: text,
    limit: 50,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(logspaces !== undefined && { logspaces }),
  };
  return queryOptions({
    queryKey: ['field-names', body],
    queryFn: async ({ signal }): Promise<string[]> => {
      const { options } = await unwrap(client.POST('/api/v1/complete', { body, signal }));
      return options.filter(({ kind }) => kind === 'field').map(({ label }) => label);
    },
    staleTime: FRESH_MS,
    retry: false,
  });
}

function numberText(cell: unknown): string {
  if (typeof cell === 'number') return String(Number(cell.toPrecision(6)));
  return typeof cell === 'string' ? cell : '–';
}
