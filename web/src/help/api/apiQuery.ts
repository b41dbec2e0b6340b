/** The description of the API, which does not change while the server runs. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { Description } from './description';

export const descriptionQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }): Promise<Description> =>
    (await unwrap(client.GET('/api/v1/openapi.json', { signal }))) as unknown as Description,
  staleTime: Infinity,
});
