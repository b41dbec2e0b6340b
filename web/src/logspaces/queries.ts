/** The requests of the page about logspaces. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../api/client';
import { type RetentionText, previewRetention } from '../api/logspaces';
import type { Facet, Histogram } from '../api/model';
import type { FillField } from './logspacesParams';

const BARS_MAX = 90;
const FILLS = 12;
const LOSSES = 200;
/** How many of the newest messages are sampled to measure the compression. */
const SAMPLE = 200;

/** Messages per hour over eight days. */
export function hourlyQuery(id: string) {
  return queryOptions({
    queryKey: ['logspace', id, 'hourly'],
    queryFn: ({ signal }): Promise<Histogram> => {
      const body = { logspaces: [id], from: '-8d', interval: '1h' };
      return unwrap(client.POST('/api/v1/histogram', { body, signal }));
    },
    staleTime: 60_000,
  });
}

/** The number of all its messages over time. */
export function heldQuery(id: string) {
  return queryOptions({
    queryKey: ['logspace', id, 'held'],
    queryFn: ({ signal }): Promise<Histogram> => {
      const body = { logspaces: [id], buckets: BARS_MAX };
      return unwrap(client.POST('/api/v1/histogram', { body, signal }));
    },
    staleTime: 60_000,
  });
}

/** The average size of the newest messages as received; null without messages. */
export function rawBytesQuery(id: string) {
  return queryOptions({
    queryKey: ['logspace', id, 'raw'],
    queryFn: async ({ signal }): Promise<number | null> => {
      const body = { logspaces: [id], limit: SAMPLE };
      const { messages } = await unwrap(client.POST('/api/v1/search', { body, signal }));
      const bytes = messages.reduce((sum, { raw }) => sum + new Blob([raw]).size, 0);
      return messages.length === 0 ? null : bytes / messages.length;
    },
    staleTime: 300_000,
  });
}

export function previewQuery(id: string, retention: RetentionText, enabled: boolean) {
  return queryOptions({
    queryKey: ['logspace', id, 'preview', retention],
    queryFn: ({ signal }) => previewRetention(id, retention, signal),
    enabled,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The facets of the messages before a moment, or of all. */
export function lossQuery(id: string, before: string | null, enabled: boolean) {
  return queryOptions({
    queryKey: ['logspace', id, 'losses', before],
    queryFn: async ({ signal }): Promise<Record<string, Facet>> => {
      const body = {
        logspaces: [id],
        fields: ['host', 'program'],
        limit: LOSSES,
        ...(before !== null && { to: before }),
      };
      return (await unwrap(client.POST('/api/v1/facets', { body, signal }))).fields;
    },
    enabled,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

export type Fills = { all: Facet; week: Facet; before: Facet };

/** The most frequent values, and a comparison of the last seven days with the seven before. */
export function fillsQuery(id: string, by: FillField) {
  return queryOptions({
    queryKey: ['logspace', id, 'fills', by],
    queryFn: async ({ signal }): Promise<Fills> => {
      const count = async (limit: number, range: { from?: string; to?: string }) => {
        const body = { logspaces: [id], fields: [by], limit, ...range };
        const { fields } = await unwrap(client.POST('/api/v1/facets', { body, signal }));
        return fields[by] ?? { messages: 0, distinct: 0, values: [] };
      };
      const [all, week, before] = await Promise.all([
        count(FILLS, {}),
        count(LOSSES, { from: '-7d' }),
        count(LOSSES, { from: '-14d', to: '-7d' }),
      ]);
      return { all, week, before };
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}
