/** The requests of the overview that it does not share with other pages. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, isRefusal, unwrap } from '../api/client';
import type { Ledger } from '../api/model';

const POLL_MS = 10_000;

/** The last day, hour by hour. */
export const dayQuery = queryOptions({
  queryKey: ['flow', 'day'],
  queryFn: ({ signal }): Promise<Ledger> =>
    unwrap(client.GET('/api/v1/flow', { params: { query: { from: '-24h', step: '1h' } }, signal })),
  refetchInterval: ({ state: { error } }) => !isRefusal(error) && POLL_MS,
  placeholderData: keepPreviousData,
});
