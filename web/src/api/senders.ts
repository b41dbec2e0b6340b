/** The senders. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, isRefusal, unwrap } from './client';
import type { Senders } from './model';

const POLL_MS = 5_000;
/** The server keeps no more than this many. */
const LIMIT = 10_000;

export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  queryFn: ({ signal }) => senders({ limit: LIMIT }, signal),
  refetchInterval: ({ state: { error } }) => !isRefusal(error) && POLL_MS,
  placeholderData: keepPreviousData,
});

/** Those that are silent, skewed or new, without their figures by time; all are counted. */
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
