import { expect, test } from 'vitest';
import type { SessionEntry } from '../../api/account';
import type { UserRow } from '../accounts/rows';
import { shownSessions } from './sessionRows';

function row(name: string, ...sessions: Partial<SessionEntry>[]): UserRow {
  return {
    user: { name } as UserRow['user'],
    sessions: sessions.map((part) => ({
      user_agent: null,
      address: null,
      ...part,
    })) as SessionEntry[],
  };
}

const rows = [
  row('ana', { id: 'a', last_used: '2026-01-01T00:00:00Z', address: '10.0.0.1' }),
  row(
    'ben',
    { id: 'b', last_used: '2026-01-03T00:00:00Z', user_agent: 'curl/8.0' },
    { id: 'c', last_used: '2026-01-02T00:00:00Z' },
  ),
  { user: { name: 'cleo' } as UserRow['user'], sessions: null },
];
const found = (find: string) => shownSessions(rows, find).map(({ session }) => session.id);

test('the sessions of all users are listed, the last used first', () => {
  expect(found('')).toEqual(['b', 'c', 'a']);
});

test('a session is found by user, browser and address', () => {
  expect(found('ANA')).toEqual(['a']);
  expect(found('curl')).toEqual(['b']);
  expect(found('10.0')).toEqual(['a']);
  expect(found('nobody')).toEqual([]);
});
