/** What may be written next, as the server offers it. */
import { client, unwrap } from '../api/client';
import type { Complete } from '../ui/query/suggestions';
import { requestRange } from '../ui/range';
import type { SearchState } from './searchParams';

export function completeIn({
  range,
  logspaces,
}: Pick<SearchState, 'range' | 'logspaces'>): Complete {
  return (query, cursor, signal) => {
    const body = {
      query,
      cursor,
      ...requestRange(range),
      ...(logspaces.length > 0 && { logspaces: [...logspaces] }),
    };
    return unwrap(client.POST('/api/v1/complete', { body, signal }));
  };
}
