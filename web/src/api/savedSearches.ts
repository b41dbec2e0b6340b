/** The saved searches: every page that searches for messages can start with one. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type * as Schemas from './types';

export type SavedSearch = Schemas.SavedSearch;

/** Maximum number of parts of the list, each of about 2 MiB; more would not fit into a menu. */
const PARTS_MAX = 10;

export const savedSearchesQuery = queryOptions({
  queryKey: ['saved-searches'],
  queryFn: async ({ signal }): Promise<SavedSearch[]> => {
    const all: SavedSearch[] = [];
    let cursor: string | null = null;
    for (let part = 0; part < PARTS_MAX; part += 1) {
      const query: { cursor?: string } = cursor === null ? {} : { cursor };
      const list: Schemas.SavedSearchList = await unwrap(
        client.GET('/api/v1/saved-searches', { params: { query }, signal }),
      );
      all.push(...list.saved_searches);
      cursor = list.cursor;
      if (cursor === null) break;
    }
    return all;
  },
  staleTime: 10_000,
});

/** Best effort: the search opens whether or not this is recorded. */
export function noteUse(id: number): void {
  const noted = client.POST('/api/v1/saved-searches/{id}/used', { params: { path: { id } } });
  void unwrap(noted).catch(() => undefined);
}
