/** The accounts that can log in, as administrators see and change them. */
import { queryOptions } from '@tanstack/react-query';
import type { SessionEntry } from './account';
import { client, unwrap } from './client';
import type * as Schemas from './types';

export type UserEntry = Schemas.User;
export type NewUser = Schemas.NewUser;
export type UserChange = Schemas.UserChange;
export type Role = Schemas.Role;

/** The part of the store that an account is limited to; null is no limit. */
export type Grant = { logspaces: string[] | null; scope: string | null };

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async ({ signal }): Promise<UserEntry[]> =>
    (await unwrap(client.GET('/api/v1/users', { signal }))).users,
});

export function sessionsOfQuery(name: string) {
  return queryOptions({
    queryKey: ['users', name, 'sessions'],
    queryFn: async ({ signal }): Promise<SessionEntry[]> =>
      (await unwrap(client.GET('/api/v1/users/{name}/sessions', { ...of(name), signal }))).sessions,
    staleTime: 30_000,
  });
}

export function addUser(body: NewUser): Promise<UserEntry> {
  return unwrap(client.POST('/api/v1/users', { body }));
}

export function changeUser(name: string, body: UserChange): Promise<UserEntry> {
  return unwrap(client.PUT('/api/v1/users/{name}', { ...of(name), body }));
}

export async function removeUser(name: string): Promise<void> {
  await unwrap(client.DELETE('/api/v1/users/{name}', of(name)));
}

export async function disableUser(name: string): Promise<void> {
  await unwrap(client.POST('/api/v1/users/{name}/disable', of(name)));
}

export async function enableUser(name: string): Promise<void> {
  await unwrap(client.POST('/api/v1/users/{name}/enable', of(name)));
}

/** For another user: to change one's own, the server asks for the present password. */
export async function setPassword(name: string, password: string): Promise<void> {
  await unwrap(client.PUT('/api/v1/users/{name}/password', { ...of(name), body: { password } }));
}

export async function removeTotpOf(name: string): Promise<void> {
  await unwrap(client.DELETE('/api/v1/users/{name}/totp', of(name)));
}

export async function endSessionsOf(name: string): Promise<void> {
  await unwrap(client.DELETE('/api/v1/users/{name}/sessions', of(name)));
}

export async function endSessionOf(name: string, id: string): Promise<void> {
  const params = { path: { name, id } };
  await unwrap(client.DELETE('/api/v1/users/{name}/sessions/{id}', { params }));
}

function of(name: string) {
  return { params: { path: { name } } };
}
