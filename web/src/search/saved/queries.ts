/** The requests about saved searches. */
import { client, unwrap } from '../../api/client';
import type { SavedSearch, SearchToSave } from './saved';

export function addSaved(body: SearchToSave): Promise<SavedSearch> {
  return unwrap(client.POST('/api/v1/saved-searches', { body }));
}

export function replaceSaved(id: number, body: SearchToSave): Promise<SavedSearch> {
  return unwrap(client.PUT('/api/v1/saved-searches/{id}', { params: { path: { id } }, body }));
}

export async function removeSaved(id: number): Promise<void> {
  await unwrap(client.DELETE('/api/v1/saved-searches/{id}', { params: { path: { id } } }));
}
