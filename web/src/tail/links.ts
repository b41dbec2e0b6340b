/** Addresses of Search that show what a tail showed. */
import type { Message } from '../api/model';

const AROUND_MS = 60_000;

/** The stored messages that match. */
export function searchLink(query: string, logspaces: readonly string[]): string {
  return address(query, logspaces, { from: '-15m' });
}

/** The time around a message, with the message open. */
export function messageLink(
  query: string,
  logspaces: readonly string[],
  { id, time }: Message,
): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return address(query, logspaces, { from: 'all', open: id });
  const from = new Date(at - AROUND_MS).toISOString();
  const to = new Date(at + AROUND_MS).toISOString();
  return address(query, logspaces, { from, to, open: id });
}

function address(
  query: string,
  logspaces: readonly string[],
  others: Record<string, string>,
): string {
  const params = new URLSearchParams({
    q: query === '' ? '*' : query,
    ...(logspaces.length > 0 && { logspace: logspaces.join(',') }),
    ...others,
  });
  return `/search?${params.toString()}`;
}
