/** A user's preferences for the console, as the server keeps them, under the names of the browser's store. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';

export type Preferences = Readonly<Record<string, string>>;

export const preferencesQuery = queryOptions({
  queryKey: ['account', 'preferences'],
  queryFn: async ({ signal }): Promise<Preferences> => {
    const kept = await unwrap(client.GET('/api/v1/account/preferences', { signal }));
    const isText = (entry: [string, unknown]): entry is [string, string] =>
      typeof entry[1] === 'string';
    return Object.fromEntries(Object.entries(kept).filter(isText));
  },
  staleTime: Infinity,
  retry: false,
});

export async function keepPreferences(preferences: Preferences): Promise<void> {
  // The server's description says no more of it than that it is an object.
  const body = preferences as Record<string, never>;
  await unwrap(client.PUT('/api/v1/account/preferences', { body }));
}
