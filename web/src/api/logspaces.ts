/** The logspaces that the user may search, and the operations on them. */
import { queryOptions } from '@tanstack/react-query';
import { under } from '../base';
import { client, networkError, unwrap, unwrapWithResponse } from './client';
import type { RouterChange, WireDocument } from './model';
import * as Schemas from './types';

export type RetentionPreview = Schemas.RetentionPreview;
export type Work = Schemas.Work;
export type Durability = Schemas.Durability;

/** In the format of the router document: `90d`, `200GiB`. A missing value means no limit. */
export type RetentionText = { age?: string; size?: string };

export const logspacesQuery = queryOptions({
  queryKey: ['logspaces'],
  queryFn: async ({ signal }) =>
    (await unwrap(client.GET('/api/v1/logspaces', { signal }))).logspaces,
  staleTime: 30_000,
});

/** The running check or reindexing, whoever started it; null if there is none. */
export const workQuery = queryOptions({
  queryKey: ['logspaces', 'work'],
  queryFn: async ({ signal }): Promise<Work | null> =>
    (await unwrap(client.GET('/api/v1/logspaces', { signal }))).work,
});

/** A preview of the messages that a retention would remove now. */
export function previewRetention(
  id: string,
  body: RetentionText,
  signal: AbortSignal,
): Promise<RetentionPreview> {
  const params = { path: { id } };
  return unwrap(client.POST('/api/v1/logspaces/{id}/retention-preview', { params, body, signal }));
}

/** Changes a single logspace, which makes a revision of the router document. */
export function changeLogspace(
  id: string,
  retention: RetentionText,
  durability: Durability,
  comment: string,
): Promise<RouterChange> {
  const params = { path: { id }, query: { comment } };
  // The API description only says of a retention that it is an object.
  const body = { retention: retention as Record<string, never>, durability };
  return unwrap(client.PUT('/api/v1/logspaces/{id}', { params, body }));
}

/** Adds a logspace, which makes a revision. */
export function addLogspace(
  id: string,
  retention: RetentionText,
  durability: Durability,
): Promise<RouterChange> {
  return changeDocument(`new logspace \`${id}\``, (document) => ({
    ...document,
    logspaces: [...document.logspaces, { id, retention, durability }],
  }));
}

/** Removes a logspace from the router document, which makes a revision. Its messages stay. */
export function retireLogspace(id: string): Promise<RouterChange> {
  return changeDocument(`retire logspace \`${id}\``, (document) => ({
    ...document,
    logspaces: document.logspaces.filter((logspace) => logspace.id !== id),
  }));
}

/** The names of the routes that send to each logspace. */
export const feedingQuery = queryOptions({
  queryKey: ['router', 'feeding'],
  queryFn: async ({ signal }): Promise<Map<string, string[]>> => {
    const { routes } = await unwrap(client.GET('/api/v1/router', { signal }));
    const feeding = new Map<string, string[]>();
    for (const { id, to } of routes) {
      for (const target of to) feeding.set(target, [...(feeding.get(target) ?? []), id]);
    }
    return feeding;
  },
  structuralSharing: false,
});

/**
 * Changes the live document. If somebody else was faster, the server reports that, and nothing is
 * changed.
 */
async function changeDocument(
  comment: string,
  change: (document: WireDocument) => WireDocument,
): Promise<RouterChange> {
  const { data, response } = await unwrapWithResponse(client.GET('/api/v1/router'));
  const etag = response.headers.get('ETag') ?? '';
  const params = { headers: { 'If-Match': etag }, query: { comment } };
  return unwrap(client.PUT('/api/v1/router', { params, body: change(data) }));
}

type Disk = { totalBytes: number; freeBytes: number };

/**
 * The free space of the disk, by the server's metrics. Null without the right to read the metrics,
 * and if the server does not know.
 */
export const diskQuery = queryOptions({
  queryKey: ['disk'],
  queryFn: async ({ signal }): Promise<Disk | null> => {
    const response = await fetch(under('/metrics'), { signal }).catch(networkError);
    return response.ok ? diskIn(await response.text()) : null;
  },
  staleTime: 30_000,
});

export function diskIn(metrics: string): Disk | null {
  const valueOf = (name: string) => {
    const [, value] = new RegExp(`^logstead_${name} (\\S+)$`, 'm').exec(metrics) ?? [];
    return value === undefined ? NaN : Number(value);
  };
  const disk = { totalBytes: valueOf('disk_bytes'), freeBytes: valueOf('disk_free_bytes') };
  return Number.isNaN(disk.totalBytes) || Number.isNaN(disk.freeBytes) ? null : disk;
}
