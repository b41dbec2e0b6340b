/** Who sends. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { Senders } from './model';

const POLL_MS = 5_000;
/** As many as the server keeps. */
const LIMIT = 10_000;

export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  queryFn: ({ signal }): Promise<Senders> =>
    unwrap(client.GET('/api/v1/senders', { params: { query: { limit: LIMIT } }, signal })),
  refetchInterval: ({ state: { error } }) => error === null && POLL_MS,
  placeholderData: keepPreviousData,
});
