/** The user's own account: sessions and second factor. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type * as Schemas from './types';

export type Account = Schemas.Account;
export type SessionEntry = Schemas.ListedSessionBody;
export type TotpEnrolment = Schemas.TotpEnrolment;

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => unwrap(client.GET('/api/v1/account', { signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) =>
    (await unwrap(client.GET('/api/v1/account/sessions', { signal }))).sessions,
});

export async function endSessionById(id: string): Promise<void> {
  await unwrap(client.DELETE('/api/v1/account/sessions/{id}', { params: { path: { id } } }));
}

export async function endOtherSessions(): Promise<void> {
  await unwrap(client.DELETE('/api/v1/account/sessions'));
}

export function beginTotp(password: string): Promise<TotpEnrolment> {
  const body = { current_password: password };
  return unwrap(client.POST('/api/v1/account/totp', { body }));
}

/** Returns the recovery codes, which are shown only once. */
export async function confirmTotp(code: string): Promise<string[]> {
  return (await unwrap(client.PUT('/api/v1/account/totp', { body: { code } }))).recovery_codes;
}

export async function removeTotp(password: string, code: string): Promise<void> {
  const body = { current_password: password, code };
  await unwrap(client.POST('/api/v1/account/totp/remove', { body }));
}

export async function renewRecoveryCodes(password: string): Promise<string[]> {
  const body = { current_password: password };
  return (await unwrap(client.POST('/api/v1/account/recovery-codes', { body }))).recovery_codes;
}
