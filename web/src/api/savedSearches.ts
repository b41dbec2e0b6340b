/** The searches that were saved: every page that looks for messages can begin with one. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { components } from './types';

export type SavedSearch = components['schemas']['SavedSearch'];

export const savedSearchesQuery = queryOptions({
  queryKey: ['saved-searches'],
  queryFn: async ({ signal }): Promise<SavedSearch[]> =>
    (await unwrap(client.GET('/api/v1/saved-searches', { signal }))).saved_searches,
  staleTime: 10_000,
});

/** Best effort: the search opens whether or not this is recorded. */
export function noteUse(id: number): void {
  const noted = client.POST('/api/v1/saved-searches/{id}/used', { params: { path: { id } } });
  void unwrap(noted).catch(() => undefined);
}
