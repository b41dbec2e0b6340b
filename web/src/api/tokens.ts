/** Tokens for programs. The server shows a secret once, and the console keeps it nowhere. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { CreatedToken } from './model';
import type * as Schemas from './types';

export type TokenRequest = Schemas.TokenRequest;
export type TokenLimits = Schemas.TokenLimits;

export type TokenEntry = Schemas.Token;

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

/** It may send, and nothing else. */
export function makeIngestToken(purpose: string): Promise<CreatedToken> {
  return makeToken({ name: tokenName(purpose, new Date()), role: 'ingest' });
}

/** `overlap` is how long the present secret goes on working, such as `24h`. */
export function rotateToken(id: number, overlap: string): Promise<CreatedToken> {
  const params = { path: { id } };
  return unwrap(client.POST('/api/v1/tokens/{id}/rotate', { params, body: { overlap } }));
}

export async function revokeToken(id: number): Promise<void> {
  await unwrap(client.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } }));
}

/** The server allows this many at once, and one more each second. */
export function tokenName(purpose: string, now: Date): string {
  return `${purpose}-${now.toISOString().slice(0, 19).replaceAll(':', '.').toLowerCase()}`;
}
