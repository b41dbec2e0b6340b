import { expect, test } from 'vitest';
import type { SessionEntry } from '../../api/account';
import type { TokenEntry, UserEntry } from '../../api/users';
import {
  type UserRow,
  attention,
  expiryOf,
  placesText,
  shownTokens,
  shownUsers,
  unusedDays,
} from './rows';

const now = Date.parse('2026-06-01T12:00:00Z');

function user(name: string, part: Partial<UserEntry> = {}, used: string | null = null): UserRow {
  const session = { last_used: used ?? '' } as SessionEntry;
  return {
    user: {
      name,
      role: 'analyst',
      logspaces: null,
      scope: null,
      origin: null,
      disabled: false,
      second_factor: false,
      created_at: '2026-01-01T00:00:00Z',
      ...part,
    },
    sessions: used === null ? [] : [session],
  };
}

function token(name: string, part: Partial<TokenEntry> = {}): TokenEntry {
  return {
    id: 1,
    name,
    role: 'ingest',
    logspaces: null,
    scope: null,
    created_by: 'admin',
    created_at: '2026-05-31T12:00:00Z',
    expires_at: null,
    last_used: null,
    limits: {},
    former_until: null,
    ...part,
  };
}

const names = (rows: readonly UserRow[]) => rows.map((row) => row.user.name);

test('users are found by name, role, logspace, scope and directory', () => {
  const rows = [
    user('ana', { scope: 'host:web-*' }),
    user('ben', { role: 'admin' }),
    user('cleo', { logspaces: ['security'] }),
    user('dan', { origin: 'ldap:corp' }),
  ];
  const find = (text: string) => names(shownUsers(rows, text, { key: 'name', descending: false }));
  expect(find('WEB')).toEqual(['ana']);
  expect(find('admin')).toEqual(['ben']);
  expect(find('secur')).toEqual(['cleo']);
  expect(find('ldap')).toEqual(['dan']);
  expect(find('')).toEqual(['ana', 'ben', 'cleo', 'dan']);
  expect(find('nobody')).toEqual([]);
});

test('users are sorted by what they may do, and by when they were seen', () => {
  const rows = [
    user('ana', {}, '2026-05-01T00:00:00Z'),
    user('ben', { role: 'admin' }),
    user('cleo', { role: 'operator' }, '2026-06-01T00:00:00Z'),
  ];
  expect(names(shownUsers(rows, '', { key: 'role', descending: false }))).toEqual([
    'ben',
    'cleo',
    'ana',
  ]);
  expect(names(shownUsers(rows, '', { key: 'used', descending: true }))).toEqual([
    'cleo',
    'ana',
    'ben',
  ]);
});

test('tokens that never end are sorted after those that do', () => {
  const tokens = [token('ever'), token('soon', { expires_at: '2026-06-02T00:00:00Z' })];
  const sort = { key: 'expires', descending: false } as const;
  expect(shownTokens(tokens, '', sort).map(({ name }) => name)).toEqual(['soon', 'ever']);
});

test('a token that was never used is unused since it was made', () => {
  expect(unusedDays(token('new'), now)).toBe(1);
  expect(unusedDays(token('old', { last_used: '2025-11-01T12:00:00Z' }), now)).toBe(212);
});

test.each([
  [null, { kind: 'never' }],
  ['2026-06-01T11:59:00Z', { kind: 'ended' }],
  ['2026-06-06T13:00:00Z', { kind: 'soon', days: 5 }],
  ['2026-07-01T12:00:00Z', { kind: 'later' }],
])('a token that ends at %s', (expires_at, expected) => {
  expect(expiryOf(token('one', { expires_at }), now)).toEqual(expected);
});

test('what needs attention is counted', () => {
  expect(attention([token('new')], now)).toBe('');
  const tokens = [
    token('old', { last_used: '2025-11-01T12:00:00Z' }),
    token('ends', { expires_at: '2026-06-06T13:00:00Z' }),
  ];
  expect(attention(tokens, now)).toBe('1 unused for 90 days or more, 1 expires soon');
});

test.each([
  [null, null, 'everything'],
  [null, 'host:a', 'all logspaces'],
  [['app', 'main'], null, 'app, main'],
])('a grant of %j and %j in words', (logspaces, scope, expected) => {
  expect(placesText({ logspaces, scope })).toBe(expected);
});
