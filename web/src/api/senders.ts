/** Who sends. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { Senders } from './model';

const POLL_MS = 5_000;
/** As many as the server keeps. */
const LIMIT = 10_000;

export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  queryFn: ({ signal }) => senders(true, signal),
  refetchInterval: ({ state: { error } }) => error === null && POLL_MS,
  placeholderData: keepPreviousData,
});

/** The same without their figures by time, which are most of the bytes. */
export const briefSendersQuery = queryOptions({
  ...sendersQuery,
  queryKey: ['senders', 'brief'],
  queryFn: ({ signal }) => senders(false, signal),
});

function senders(series: boolean, signal: AbortSignal): Promise<Senders> {
  const params = { query: { limit: LIMIT, series } };
  return unwrap(client.GET('/api/v1/senders', { params, signal }));
}
