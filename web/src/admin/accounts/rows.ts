/**
 * The rows of the tables of users and tokens: which are shown, in which order, and which need
 * attention. Pure.
 */
import type { SessionEntry } from '../../api/account';
import type { Grant, Role, TokenEntry, UserEntry } from '../../api/users';
import { formatAge } from '../../ui/time';
import type { Sort } from '../adminParams';

export const DAY_MS = 86_400_000;
/** A token that was not used for this many days is probably forgotten. */
export const UNUSED_DAYS = 90;
/** A token that expires within this many days has to be replaced soon. */
export const EXPIRES_SOON_DAYS = 14;

/** A user with their sessions; null while the sessions are not known. */
export type UserRow = { user: UserEntry; sessions: readonly SessionEntry[] | null };

/** The session that was used last. */
export function lastSession({ sessions }: UserRow): SessionEntry | null {
  return (sessions ?? []).reduce<SessionEntry | null>(
    (last, one) => (last === null || one.last_used > last.last_used ? one : last),
    null,
  );
}

/**
 * The logspaces of a grant in words: `everything`, `app, main`, `messages of app that match`; the
 * scope is shown separately because it is a query.
 */
export function placesText({ logspaces, scope }: Grant): string {
  if (logspaces !== null) return logspaces.join(', ');
  return scope === null ? 'everything' : 'all logspaces';
}

export function shownUsers(rows: readonly UserRow[], find: string, sort: Sort): UserRow[] {
  const keyOf = (row: UserRow): string => {
    switch (sort.key) {
      case 'name':
      case 'expires':
        return row.user.name;
      case 'role':
        return rankOf(row.user.role);
      case 'used':
        return lastSession(row)?.last_used ?? '';
    }
  };
  const found = rows.filter(({ user }) =>
    holds([user.name, user.role, ...(user.logspaces ?? []), user.scope, user.origin], find),
  );
  return sorted(found, keyOf, ({ user }) => user.name, sort.descending);
}

export function shownTokens(tokens: readonly TokenEntry[], find: string, sort: Sort): TokenEntry[] {
  const keyOf = (token: TokenEntry): string => {
    switch (sort.key) {
      case 'name':
        return token.name;
      case 'role':
        return rankOf(token.role);
      case 'used':
        return token.last_used ?? '';
      case 'expires':
        // Tokens that never expire come last.
        return token.expires_at ?? '~';
    }
  };
  const found = tokens.filter(({ name, role, logspaces, scope, created_by }) =>
    holds([name, role, ...(logspaces ?? []), scope, created_by], find),
  );
  return sorted(found, keyOf, ({ name }) => name, sort.descending);
}

/** The number of whole days without use; a token that was never used counts from its creation. */
export function unusedDays({ last_used, created_at }: TokenEntry, now: number): number {
  return Math.max(Math.floor((now - Date.parse(last_used ?? created_at)) / DAY_MS), 0);
}

export type Expiry =
  { kind: 'never' } | { kind: 'ended' } | { kind: 'soon'; days: number } | { kind: 'later' };

export function expiryOf({ expires_at }: TokenEntry, now: number): Expiry {
  if (expires_at === null) return { kind: 'never' };
  const days = (Date.parse(expires_at) - now) / DAY_MS;
  if (days <= 0) return { kind: 'ended' };
  return days <= EXPIRES_SOON_DAYS ? { kind: 'soon', days: Math.floor(days) } : { kind: 'later' };
}

/** The summary of all tokens for the header of the table; empty if nothing needs attention. */
export function attention(tokens: readonly TokenEntry[], now: number): string {
  const unused = tokens.filter((token) => unusedDays(token, now) >= UNUSED_DAYS).length;
  const kinds = tokens.map((token) => expiryOf(token, now).kind);
  const ended = kinds.filter((kind) => kind === 'ended').length;
  const soon = kinds.filter((kind) => kind === 'soon').length;
  return [
    ...(unused > 0 ? [`${unused} unused for ${UNUSED_DAYS} days or more`] : []),
    ...(ended > 0 ? [`${ended} expired`] : []),
    ...(soon > 0 ? [`${soon} ${soon === 1 ? 'expires' : 'expire'} soon`] : []),
  ].join(', ');
}

export function seenText(row: UserRow): string {
  const session = lastSession(row);
  if (row.sessions === null) return '…';
  if (session === null) return 'not signed in';
  return session.current ? 'now' : formatAge(session.last_used, Date.now());
}

export function usedText(token: TokenEntry, now: number): string {
  if (token.last_used !== null) return formatAge(token.last_used, now);
  const days = unusedDays(token, now);
  return days < UNUSED_DAYS ? 'never' : `never, for ${days} d`;
}

/** The number of rows, such as `7`, or `2 of 7` if some are not shown. */
export function countText(shown: number, all: number): string {
  return shown === all ? String(all) : `${shown} of ${all}`;
}

const RANKS: readonly Role[] = ['admin', 'operator', 'analyst', 'ingest'];

function rankOf(role: Role): string {
  return String(RANKS.indexOf(role));
}

function holds(texts: readonly (string | null)[], find: string): boolean {
  const wanted = find.trim().toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}

function sorted<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
  descending: boolean,
): Row[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted(
    (a, b) => sign * compare(keyOf(a), keyOf(b)) || compare(nameOf(a), nameOf(b)),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
