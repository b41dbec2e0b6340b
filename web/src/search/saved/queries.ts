/** What is asked about saved searches. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../api/client';
import type { SavedSearch, SearchToSave } from './saved';

export const savedSearchesQuery = queryOptions({
  queryKey: ['saved-searches'],
  queryFn: async ({ signal }): Promise<SavedSearch[]> =>
    (await unwrap(client.GET('/api/v1/saved-searches', { signal }))).saved_searches,
  staleTime: 10_000,
});

export function addSaved(body: SearchToSave): Promise<SavedSearch> {
  return unwrap(client.POST('/api/v1/saved-searches', { body }));
}

export function replaceSaved(id: number, body: SearchToSave): Promise<SavedSearch> {
  return unwrap(client.PUT('/api/v1/saved-searches/{id}', { params: { path: { id } }, body }));
}

export async function removeSaved(id: number): Promise<void> {
  await unwrap(client.DELETE('/api/v1/saved-searches/{id}', { params: { path: { id } } }));
}

/** Best effort: the search opens whether or not this is recorded. */
export function noteUse(id: number): void {
  const noted = client.POST('/api/v1/saved-searches/{id}/used', { params: { path: { id } } });
  void unwrap(noted).catch(() => undefined);
}
