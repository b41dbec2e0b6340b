/** The requests of the sidebar, except for the counts of the pinned fields. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Facet, FacetsRequest, FieldsResult } from '../../api/model';
import { edited } from '../../api/query';
import { scopeOf, type MessageState } from '../messageState';
import { commonFields } from './groups';

const FRESH_MS = 10_000;
/** Maximum number of fields that are found in messages. */
const FOUND_MAX = 40;
/** Number of values of each field that are counted without being requested. */
const COUNTED_VALUES = 10;
/** Maximum number of fields per request. */
const FIELDS_MAX = 16;
/** Number of values of each field that are searched when all fields are. */
const SEARCHED_VALUES = 300;

/** The fields that the messages have. */
export function foundQuery(state: MessageState) {
  const body = { ...scopeOf(state), limit: FOUND_MAX };
  return queryOptions({
    queryKey: ['fields', body],
    queryFn: ({ signal }): Promise<FieldsResult> =>
      unwrap(client.POST('/api/v1/fields', { body, signal })),
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
  });
}

type FacetsBody = Omit<FacetsRequest, 'fields'>;

const facetOf = batched(
  async (body: FacetsBody, fields, signal): Promise<Record<string, Facet>> =>
    (await unwrap(client.POST('/api/v1/facets', { body: { ...body, fields }, signal }))).fields,
  FIELDS_MAX,
);

/** More values of one field, regardless of its selection; or those that contain a text. */
export function valuesQuery(state: MessageState, field: string, limit: number, text: string) {
  const scope = scopeOf(state);
  const body: FacetsBody = { ...scope, limit, own_clauses: false, numbers: true };
  const holding = (part: string, signal: AbortSignal) =>
    edited(scope.query ?? '', [{ op: 'include', field, part }], signal);
  return queryOptions({
    queryKey: ['facet', field, body, text],
    queryFn: async ({ signal }): Promise<Facet | undefined> => {
      const asked =
        text === '' ? body : { ...body, own_clauses: true, query: await holding(text, signal) };
      return facetOf(asked, field, signal);
    },
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The values of several fields, to be searched. */
export function allValuesQuery(state: MessageState, fields: readonly string[]) {
  const body = {
    ...scopeOf(state),
    fields: [...fields],
    limit: SEARCHED_VALUES,
    own_clauses: false,
  };
  return queryOptions({
    queryKey: ['facets', body],
    queryFn: async ({ signal }): Promise<Record<string, Facet>> =>
      (await unwrap(client.POST('/api/v1/facets', { body, signal }))).fields,
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The names of fields that begin with `text`. */
export function fieldNamesQuery(state: MessageState, text: string) {
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

/** The values of the pinned fields and of the fields that every message may have. */
export function countsQuery(state: MessageState) {
  const fields = [...new Set([...state.facets, ...commonFields])];
  const body = { ...scopeOf(state), fields, limit: COUNTED_VALUES, own_clauses: false };
  return queryOptions({
    queryKey: ['field-counts', body],
    queryFn: async ({ signal }): Promise<Record<string, Facet>> =>
      (await unwrap(client.POST('/api/v1/facets', { body, signal }))).fields,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Combines simultaneous requests for single fields into one: the sidebar opens several at once. */

type Waiting<Answer> = {
  field: string;
  signal: AbortSignal;
  resolve: (answer: Answer | undefined) => void;
  reject: (error: unknown) => void;
};

/** Requests several fields at once. */
type Ask<Asked, Answer> = (
  asked: Asked,
  fields: string[],
  signal: AbortSignal,
) => Promise<Record<string, Answer>>;

export function batched<Asked, Answer>(ask: Ask<Asked, Answer>, fieldsMax: number) {
  const groups = new Map<string, Waiting<Answer>[]>();
  const begin = (key: string, asked: Asked): Waiting<Answer>[] => {
    const group: Waiting<Answer>[] = [];
    groups.set(key, group);
    setTimeout(() => {
      if (groups.get(key) === group) groups.delete(key);
      void send(ask, asked, group);
    });
    return group;
  };
  return (asked: Asked, field: string, signal: AbortSignal): Promise<Answer | undefined> =>
    new Promise((resolve, reject) => {
      const key = JSON.stringify(asked);
      const group = groups.get(key) ?? begin(key, asked);
      group.push({ field, signal, resolve, reject });
      if (group.length === fieldsMax) groups.delete(key);
    });
}

async function send<Asked, Answer>(
  ask: Ask<Asked, Answer>,
  asked: Asked,
  group: readonly Waiting<Answer>[],
): Promise<void> {
  const controller = new AbortController();
  // Aborted only when none of the callers wants the answer any more.
  const leave = () => {
    if (group.every(({ signal }) => signal.aborted)) controller.abort();
  };
  group.forEach(({ signal }) => signal.addEventListener('abort', leave));
  leave();
  try {
    const fields = [...new Set(group.map(({ field }) => field))];
    const answers = await ask(asked, fields, controller.signal);
    group.forEach(({ field, resolve }) => resolve(answers[field]));
  } catch (error) {
    group.forEach(({ reject }) => reject(error));
  }
}
