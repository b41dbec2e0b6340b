/** The logspaces that the user may search. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';

export const logspacesQuery = queryOptions({
  queryKey: ['logspaces'],
  queryFn: async ({ signal }) =>
    (await unwrap(client.GET('/api/v1/logspaces', { signal }))).logspaces,
  staleTime: 30_000,
});
