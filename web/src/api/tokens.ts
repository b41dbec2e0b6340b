/** Tokens for programs that send. The server shows a secret once, and the console keeps it nowhere. */
import { client, unwrap } from './client';
import type { CreatedToken } from './model';

/** It may send, and nothing else. */
export function makeIngestToken(purpose: string): Promise<CreatedToken> {
  const body = { name: tokenName(purpose, new Date()), role: 'ingest' as const };
  return unwrap(client.POST('/api/v1/tokens', { body }));
}

/** As the server allows, and another one each second. */
export function tokenName(purpose: string, now: Date): string {
  return `${purpose}-${now.toISOString().slice(0, 19).replaceAll(':', '.').toLowerCase()}`;
}
