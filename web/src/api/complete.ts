/** Completion of a query, as the server offers it. */
import { client, unwrap } from './client';
import type { CompleteResponse } from './model';

/** The scope in which values are counted. */
export type CompleteScope = {
  from?: string;
  to?: string;
  timezone?: string;
  logspaces: readonly string[];
};

export function completeIn({ logspaces, ...range }: CompleteScope) {
  return (query: string, cursor: number, signal: AbortSignal): Promise<CompleteResponse> => {
    const chosen = logspaces.length > 0 ? { logspaces: [...logspaces] } : {};
    const body = { query, cursor, ...range, ...chosen };
    return unwrap(client.POST('/api/v1/complete', { body, signal }));
  };
}
