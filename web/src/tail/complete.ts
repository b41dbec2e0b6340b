/** What may be written next, as the server offers it. */
import { client, unwrap } from '../api/client';
import type { Complete } from '../ui/query/suggestions';

export function completeIn(logspaces: readonly string[]): Complete {
  return (query, cursor, signal) => {
    const body = { query, cursor, ...(logspaces.length > 0 && { logspaces: [...logspaces] }) };
    return unwrap(client.POST('/api/v1/complete', { body, signal }));
  };
}
