/** The server's clock: what a relative range is relative to. */
import { queryOptions } from '@tanstack/react-query';
import { under } from '../../base';
import { networkError } from '../../api/client';

/** The header has whole seconds; the second that has begun belongs to what is seen now. */
const RESOLUTION_MS = 1000;

export const serverNowQuery = queryOptions({
  queryKey: ['server-now'],
  queryFn: async ({ signal }): Promise<number> => {
    const response = await fetch(under('/healthz'), { cache: 'no-store', signal }).catch(
      networkError,
    );
    const told = Date.parse(response.headers.get('Date') ?? '');
    return Number.isNaN(told) ? Date.now() : told + RESOLUTION_MS;
  },
  staleTime: 0,
  gcTime: 0,
});
