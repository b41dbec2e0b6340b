import { expect, test } from 'vitest';
import { type AdminState, type Panel, readAdmin, sortedBy, writeAdmin } from './adminParams';

const plain = readAdmin({});

test('an address without parameters shows the accounts, sorted by name', () => {
  expect(plain.tab).toBe('accounts');
  expect(plain.panel).toEqual({ kind: 'none' });
  expect(writeAdmin(plain)).toEqual({});
});

test.each<Panel>([
  { kind: 'none' },
  { kind: 'new-user' },
  { kind: 'new-token' },
  { kind: 'user', name: 'ana' },
  { kind: 'token', id: 7 },
])('what is open comes back from the address: %j', (panel) => {
  expect(readAdmin(writeAdmin({ ...plain, panel })).panel).toEqual(panel);
});

test('all of the state comes back from the address', () => {
  const state: AdminState = {
    tab: 'audit',
    panel: { kind: 'none' },
    find: 'analyst',
    sort: { key: 'used', descending: true },
    changed: true,
    query: 'action:session.refused',
    range: { kind: 'last', span: '7d' },
  };
  expect(readAdmin(writeAdmin(state))).toEqual(state);
});

test('what an address says that means nothing is left out', () => {
  const state = readAdmin({ tab: 'nonsense', token: 'x', sort: '-nonsense' });
  expect(state).toEqual(plain);
});

test('sorting by the same column turns it round, by another begins anew', () => {
  expect(sortedBy({ key: 'name', descending: false }, 'name').descending).toBe(true);
  expect(sortedBy({ key: 'name', descending: true }, 'role')).toEqual({
    key: 'role',
    descending: false,
  });
});
