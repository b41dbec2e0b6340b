/** The accounts that can log in, as administrators see and change them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SessionEntry } from './account';
import { client, unwrap } from './client';
import * as Schemas from './types';
import type { CreatedToken } from './model';

export type UserEntry = Schemas.User;
type UserToCreate = Schemas.UserToCreate;
type UserChange = Schemas.UserChange;
export type Role = Schemas.Role;

/** The part of the store to which an account is limited; null means no limit. */
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

export function addUser(body: UserToCreate): Promise<UserEntry> {
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

/**
 * Sets the password of another user; to change one's own, the server requires the current password.
 */
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

type TokenRequest = Schemas.TokenRequest;
export type TokenLimits = Schemas.TokenLimits;

export type TokenEntry = Schemas.Token;

/** Tokens for programs. The server shows a secret once, and the console stores it nowhere. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }): Promise<TokenEntry[]> => {
    const { tokens } = await unwrap(client.GET('/api/v1/tokens', { signal }));
    return tokens;
  },
});

export function makeToken(body: TokenRequest): Promise<CreatedToken> {
  return unwrap(client.POST('/api/v1/tokens', { body }));
}

/** Creates a token that may only send. */
export function makeIngestToken(purpose: string): Promise<CreatedToken> {
  return makeToken({ name: tokenName(purpose, new Date()), role: 'ingest' });
}

/** `overlap` is how long the present secret keeps working, such as `24h`. */
export function rotateToken(id: number, overlap: string): Promise<CreatedToken> {
  const params = { path: { id } };
  return unwrap(client.POST('/api/v1/tokens/{id}/rotate', { params, body: { overlap } }));
}

export async function revokeToken(id: number): Promise<void> {
  await unwrap(client.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } }));
}

/** A name for a new token: its purpose and the current time, to the second. */
export function tokenName(purpose: string, now: Date): string {
  return `${purpose}-${now.toISOString().slice(0, 19).replaceAll(':', '.').toLowerCase()}`;
}

export type AuditEntry = Schemas.AuditEntry;

type AuditRequest = { query: string; from?: string; to?: string; limit: number };

/** The API of the audit log: the actions of accounts. */
export function auditQuery(asked: AuditRequest) {
  const { query, ...rest } = asked;
  const params = { query: { ...rest, ...(query.trim() !== '' && { query }) } };
  return queryOptions({
    queryKey: ['audit', asked],
    queryFn: ({ signal }) => unwrap(client.GET('/api/v1/audit', { params, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
