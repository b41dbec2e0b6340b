/** The session. Every part of the console reads it from this query. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, client, rememberCsrfToken, unwrap } from './client';
import type { Session } from './model';

export type User = NonNullable<Session['user']>;

/** Whether a user has an unlimited grant, which is needed to read figures of the whole store. */
export function seesAll({ logspaces, scope }: User): boolean {
  return logspaces === null && scope === null;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ client: cache, signal }): Promise<Session> => {
    const answer = rememberCsrfToken(await unwrap(client.GET('/api/v1/session', { signal })));
    return continued(cache.getQueryData<Session>(['session']), answer);
  },
  staleTime: 60_000,
  // Another tab may have signed in or out in the meantime.
  refetchOnWindowFocus: 'always',
  retry: 2,
});

/**
 * The meaning of a session's answer for an open page: a user whose session has ended stays its user, so that the page
 * and its unsaved text are still there after signing in again.
 */
export function continued(before: Session | undefined, answer: Session): Session {
  const wasSomebody = before !== undefined && before.user !== null && !answer.setup_required;
  return wasSomebody && answer.user === null ? { ...answer, user: before.user } : answer;
}

/** Whether the user of the page has to sign in again. */
export function hasEnded(session: Session): boolean {
  return session.user !== null && !session.authenticated;
}

/** Notes that a request was refused because the session has ended. */
export function endSession(cache: QueryClient): void {
  cache.setQueryData(sessionQuery.queryKey, (session) =>
    session === undefined || !session.authenticated
      ? session
      : { ...session, authenticated: false, csrf_token: null },
  );
}

/** The end of the session in milliseconds since 1970; null if the server does not report it. */
export function endsAt(session: Session): number | null {
  const at = Date.parse(session.expires_at ?? '');
  return Number.isNaN(at) ? null : at;
}

/** Signs in; `code` is that of the second factor, for users who have one. */
export async function signIn(name: string, password: string, code?: string): Promise<Session> {
  const body = { name, password, ...(code !== undefined && { code }) };
  return rememberCsrfToken(await unwrap(client.POST('/api/v1/session', { body })));
}

export async function signOut(): Promise<void> {
  await unwrap(client.DELETE('/api/v1/session'));
}

export async function setUp(code: string, name: string, password: string): Promise<Session> {
  const body = { code, name, password };
  return rememberCsrfToken(await unwrap(client.POST('/api/v1/setup', { body })));
}

/** Whether a login was refused because a code is missing or wrong: the password was right. */
export function needsCode(error: unknown): boolean {
  return error instanceof ApiError && (error.is('needs-second-factor') || error.is('wrong-code'));
}

/** Changes the user's own password, which requires the current one. */
export async function changePassword(name: string, current: string, chosen: string): Promise<void> {
  const params = { path: { name } };
  const body = { current_password: current, password: chosen };
  await unwrap(client.PUT('/api/v1/users/{name}/password', { params, body }));
}

export type Preferences = Readonly<Record<string, string>>;

/**
 * A user's preferences for the console, as stored by the server, under the names of the browser's
 * storage.
 */
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
  // The API description only says that it is an object.
  const body = preferences as Record<string, never>;
  await unwrap(client.PUT('/api/v1/account/preferences', { body }));
}
