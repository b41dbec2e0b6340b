/** The state of the running server: its counters, its problems, and its recent rate of messages. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { under } from '../base';
import { client, isRefusal, unwrap } from './client';
import type { RouterStatus, Senders } from './model';
import * as Schemas from './types';

const POLL_MS = 2_000;
/** Maximum number of samples, which cover five minutes. */
const SAMPLES_MAX = 150;
const PAST_STEP_S = 10;

export const statusQuery = queryOptions({
  queryKey: ['router', 'status'],
  queryFn: ({ signal }): Promise<RouterStatus> =>
    unwrap(client.GET('/api/v1/router/status', { signal })),
  refetchInterval: ({ state: { error } }) => !isRefusal(error) && POLL_MS,
});

/** Messages received per second at a moment. */
export type Sample = { at: number; rate: number };

/**
 * Samples of the messages stored in the minutes before this tab was opened, by time of receipt.
 * Empty if unknown.
 */
async function pastSamples(signal: AbortSignal): Promise<readonly Sample[]> {
  const body = { query: '*', from: '-5m', interval: `${PAST_STEP_S}s` };
  const { data } = await client
    .POST('/api/v1/histogram', { body, signal })
    .catch(() => ({ data: undefined }));
  return samplesOf(data?.buckets ?? []);
}

/** Samples without the last bucket: it has not ended, so its count says nothing about the rate. */
export function samplesOf(buckets: readonly { time: string; count: number }[]): Sample[] {
  return buckets.slice(0, -1).map(({ time, count }) => ({
    at: Date.parse(time) + PAST_STEP_S * 1000,
    rate: count / PAST_STEP_S,
  }));
}

/** The rate over the last minutes. Each new status adds a sample. */
export const ingestQuery = queryOptions({
  queryKey: ['ingest'],
  queryFn: async ({ client: cache, signal }): Promise<readonly Sample[]> => {
    const status = await unwrap(client.GET('/api/v1/router/status', { signal }));
    cache.setQueryData(statusQuery.queryKey, status);
    const before = cache.getQueryData<readonly Sample[]>(['ingest']) ?? (await pastSamples(signal));
    const rate = ingestRate(status);
    return rate === null ? before : [...before, { at: Date.now(), rate }].slice(-SAMPLES_MAX);
  },
  // Polling stops without a session or the right to see the status.
  refetchInterval: ({ state: { error } }) => !isRefusal(error) && POLL_MS,
  gcTime: Infinity,
  // A list that only grows need not be compared with the previous one.
  structuralSharing: false,
});

/** The sum over all sources; null until all of them are measured. */
export function ingestRate({ sources }: RouterStatus): number | null {
  return sources.reduce<number | null>(
    (sum, { messages_per_second: rate }) => (sum === null || rate === null ? null : sum + rate),
    0,
  );
}

/** The number of messages that have yet to be sealed. */
export function unsealedMessages({ logspaces }: RouterStatus): number {
  return logspaces.reduce((sum, { unsealed_messages }) => sum + unsealed_messages, 0);
}

export function storedBytes({ logspaces }: RouterStatus): number {
  return logspaces.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0);
}

type Listener = RouterStatus['sources'][number]['listeners'][number];

export function failedListeners(listeners: readonly Listener[]): Listener[] {
  return listeners.filter(({ state }) => state !== 'listening');
}

/** The addresses of the listeners that are up. */
export function listeningUrls({ sources }: RouterStatus): string[] {
  const listeners = sources.flatMap((source) => source.listeners);
  return listeners.filter(({ state }) => state === 'listening').map(({ url }) => url);
}

const SENDERS_QUERY_POLL_MS = 5_000;
/** The server keeps at most this many. */
const LIMIT = 10_000;

/** The senders. */
export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  queryFn: ({ signal }) => senders({ limit: LIMIT }, signal),
  refetchInterval: ({ state: { error } }) => !isRefusal(error) && SENDERS_QUERY_POLL_MS,
  placeholderData: keepPreviousData,
});

/** The senders that are silent, skewed or new, without their figures over time; all are counted. */
export const unusualSendersQuery = queryOptions({
  ...sendersQuery,
  queryKey: ['senders', 'unusual'],
  queryFn: ({ signal }) => senders({ limit: LIMIT, series: false, unusual: true }, signal),
});

type Which = { limit: number; series?: boolean; unusual?: boolean };

function senders(query: Which, signal: AbortSignal): Promise<Senders> {
  const params = { query };
  return unwrap(client.GET('/api/v1/senders', { params, signal }));
}

export type About = Schemas.About;
export type Setting = Schemas.SettingInForce;
export type CertificateFile = Schemas.CertificateFile;

/** The server: its facts, its settings and certificates, and a report for those who help with it. */
export const aboutQuery = queryOptions({
  queryKey: ['about'],
  queryFn: ({ signal }) => unwrap(client.GET('/api/v1/about', { signal })),
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => unwrap(client.GET('/api/v1/settings', { signal })),
});

export const certificatesQuery = queryOptions({
  queryKey: ['certificates'],
  queryFn: ({ signal }) => unwrap(client.GET('/api/v1/certificates', { signal })),
});

export function supportReport(): Promise<string> {
  return unwrap(client.GET('/api/v1/support-report', { parseAs: 'text' }));
}

export type Health =
  | { state: 'ready' }
  | { state: 'not-ready'; reasons: string }
  /**
   * `since` is the time of its last answer. A silent server accepts connections and sends nothing.
   */
  | { state: 'unreachable'; since: number; why: 'away' | 'silent' };

const HEALTH_QUERY_POLL_MS = 5_000;
const POLL_AWAY_MS = 1_000;
/** The server answers this within moments, even when it is busy. */
const ANSWER_MAX_MS = 10_000;
const NOT_READY = 503;
const KEY = ['health'];

/**
 * Whether the server accepts messages: its own answer, or the time since when there is none. The
 * whole console uses this query, and no other.
 */
export const healthQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ client: cache, signal }): Promise<Health> => {
    const before = cache.getQueryState<Health>(KEY);
    const answered = before?.dataUpdatedAt || Date.now();
    const since = before?.data?.state === 'unreachable' ? before.data.since : answered;
    const patience = AbortSignal.timeout(ANSWER_MAX_MS);
    try {
      const response = await fetch(under('/readyz'), {
        signal: AbortSignal.any([signal, patience]),
        cache: 'no-store',
      });
      if (response.ok) return { state: 'ready' };
      // Any other failure comes from what stands between us and the server.
      if (response.status !== NOT_READY) return { state: 'unreachable', since, why: 'away' };
      return { state: 'not-ready', reasons: (await response.text()).trim() };
    } catch (error) {
      if (signal.aborted) throw error;
      return { state: 'unreachable', since, why: patience.aborted ? 'silent' : 'away' };
    }
  },
  refetchInterval: ({ state: { data } }) =>
    data?.state === 'unreachable' ? POLL_AWAY_MS : HEALTH_QUERY_POLL_MS,
  // Nothing is requested while the page is hidden, but again as soon as it is shown.
  refetchOnWindowFocus: 'always',
});
