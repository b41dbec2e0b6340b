/** Who is logged in. Every part of the console reads it from the one query below. */
import { queryOptions } from '@tanstack/react-query';
import { client, rememberCsrfToken, unwrap } from './client';
import type { Session } from './model';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> =>
    rememberCsrfToken(await unwrap(client.GET('/api/v1/session', { signal }))),
  staleTime: 60_000,
  retry: 2,
});

export async function signIn(name: string, password: string): Promise<Session> {
  const body = { name, password };
  return rememberCsrfToken(await unwrap(client.POST('/api/v1/session', { body })));
}

export async function signOut(): Promise<void> {
  await unwrap(client.DELETE('/api/v1/session'));
}

export async function setUp(code: string, name: string, password: string): Promise<Session> {
  const body = { code, name, password };
  return rememberCsrfToken(await unwrap(client.POST('/api/v1/setup', { body })));
}
