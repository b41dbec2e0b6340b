/** What is asked about saved searches. */
import { queryOptions } from '@tanstack/react-query';
import {
  ApiError,
  csrfHeaders,
  networkError,
  readProblem,
  tellSessionLoss,
} from '../../api/client';
import type { SavedSearch, SearchToSave } from './saved';

const PATH = '/api/v1/saved-searches';

export const savedSearchesQuery = queryOptions({
  queryKey: ['saved-searches'],
  queryFn: async ({ signal }): Promise<SavedSearch[]> => {
    const answer = await send('GET', PATH, undefined, signal);
    return ((await answer.json()) as { saved_searches: SavedSearch[] }).saved_searches;
  },
  staleTime: 10_000,
});

export async function addSaved(search: SearchToSave): Promise<SavedSearch> {
  return (await (await send('POST', PATH, search)).json()) as SavedSearch;
}

export async function replaceSaved(id: number, search: SearchToSave): Promise<SavedSearch> {
  return (await (await send('PUT', `${PATH}/${id}`, search)).json()) as SavedSearch;
}

export async function removeSaved(id: number): Promise<void> {
  await send('DELETE', `${PATH}/${id}`);
}

/** Best effort: whether it was noted changes nothing for who opens the search. */
export function noteUse(id: number): void {
  void send('POST', `${PATH}/${id}/used`).catch(() => undefined);
}

async function send(
  method: string,
  path: string,
  body?: SearchToSave,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...csrfHeaders() },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch(networkError);
  if (response.ok) return response;
  if (response.status === 401) tellSessionLoss();
  throw new ApiError(readProblem(await response.json().catch(() => undefined), response));
}
