/** The requests of the router page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, isRefusal, unwrap, unwrapWithResponse } from '../api/client';
import type { Revision, RouterChange, Validation, WireDocument } from '../api/model';
import { statusQuery as frameStatusQuery } from '../api/status';
import { type RouterDocument, readDocument } from './document';
import type { Content } from './draft/edits';

const POLL_MS = 1_000;
const TOML = 'application/toml';

/** The live document in both its forms. */
export type Live = { revision: number; document: RouterDocument; toml: string };

export const liveQuery = queryOptions({
  queryKey: ['router', 'live'],
  queryFn: ({ signal }): Promise<Live> => fetchLive(signal),
});

export async function fetchLive(signal?: AbortSignal): Promise<Live> {
  const [json, toml] = await Promise.all([
    unwrapWithResponse(client.GET('/api/v1/router', { signal: signal ?? null })),
    unwrapWithResponse(
      client.GET('/api/v1/router', {
        signal: signal ?? null,
        headers: { Accept: TOML },
        parseAs: 'text',
      }),
    ),
  ]);
  const revision = revisionOf(json.response);
  // Another revision was applied between the two requests: both forms must be of the same revision.
  if (revision !== revisionOf(toml.response)) return fetchLive(signal);
  return { revision, document: readDocument(json.data), toml: toml.data };
}

function revisionOf(response: Response): number {
  return Number((response.headers.get('ETag') ?? '').replaceAll(/\D/g, ''));
}

/** The counters, which are polled because they change all the time. */
export const statusQuery = queryOptions({
  ...frameStatusQuery,
  refetchInterval: ({ state: { error } }) => !isRefusal(error) && POLL_MS,
});

export const revisionsQuery = queryOptions({
  queryKey: ['router', 'revisions'],
  queryFn: async ({ signal }): Promise<Revision[]> =>
    (await unwrap(client.GET('/api/v1/router/revisions', { signal }))).revisions,
});

/** The server's validation of a draft, and the draft converted to the other form. */
export function validationQuery(content: Content | null) {
  return queryOptions({
    queryKey: ['router', 'validation', content],
    queryFn: ({ signal }): Promise<Validation> =>
      unwrap(client.POST('/api/v1/router/validate', { signal, ...bodyOf(content) })),
    enabled: content !== null,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
}

/** The changes since the previous revision, and the whole text of a revision. */
export function revisionQuery(revision: number, previous: number | undefined) {
  return queryOptions({
    queryKey: ['router', 'revision', revision, previous],
    queryFn: async ({ signal }) => ({
      toml: await fetchToml(revision, signal),
      diff: previous === undefined ? null : await fetchDiff(previous, revision, signal),
    }),
    staleTime: Infinity,
  });
}

/** The changes that a roll back from the live revision to an earlier one would make. */
export function backDiffQuery(live: number, revision: number) {
  return queryOptions({
    queryKey: ['router', 'back-diff', live, revision],
    queryFn: ({ signal }) => fetchDiff(live, revision, signal),
    staleTime: Infinity,
  });
}

/** The document of a revision, as the forms see it. */
export function revisionDocumentQuery(revision: number) {
  return queryOptions({
    queryKey: ['router', 'revision-document', revision],
    queryFn: async ({ signal }): Promise<RouterDocument> =>
      readDocument(
        await unwrap(
          client.GET('/api/v1/router/revisions/{revision}', {
            params: { path: { revision } },
            signal,
          }),
        ),
      ),
    staleTime: Infinity,
  });
}

function fetchToml(revision: number, signal: AbortSignal): Promise<string> {
  return unwrap(
    client.GET('/api/v1/router/revisions/{revision}', {
      params: { path: { revision } },
      signal,
      headers: { Accept: TOML },
      parseAs: 'text',
    }),
  );
}

function fetchDiff(from: number, to: number, signal: AbortSignal) {
  return unwrap(client.GET('/api/v1/router/diff', { params: { query: { from, to } }, signal }));
}

/** Makes a draft live if `base` is still the live revision; the server answers 412 if it is not. */
export function applyDraft(
  content: Content,
  base: number,
  comment: string,
  /** The time for which it stays live without being confirmed; null if it needs no confirmation. */
  within: string | null,
): Promise<RouterChange> {
  return unwrap(
    client.PUT('/api/v1/router', {
      params: {
        headers: { 'If-Match': `"${base}"` },
        query: { comment, ...(within !== null && { confirm_within: within }) },
      },
      ...bodyOf(content),
    }),
  );
}

/** Keeps the live revision for good. */
export async function confirmRevision(): Promise<void> {
  await unwrap(client.POST('/api/v1/router/confirm', {}));
}

export function rollBack(revision: number, comment: string): Promise<RouterChange> {
  return unwrap(
    client.POST('/api/v1/router/rollback/{revision}', {
      params: { path: { revision }, query: { comment } },
    }),
  );
}

function bodyOf(content: Content | null) {
  if (content?.kind === 'toml') {
    return { body: content.text as unknown as WireDocument, headers: { 'Content-Type': TOML } };
  }
  // A draft can be wrong in any way: the server is asked whether it is a document.
  return { body: content?.document as unknown as WireDocument };
}
