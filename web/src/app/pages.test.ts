import { expect, test } from 'vitest';
import type { User } from '../api/session';
import { firstPage, pagesFor } from './pages';

const all: User = { name: 'ana', role: 'operator', logspaces: null, scope: null };

function labels(user: User) {
  return pagesFor(user).map(({ label }) => label);
}

test('pages about the whole store are not offered to those who see a part of it', () => {
  expect(labels(all)).toEqual([
    'Overview',
    'Search',
    'Tail',
    'Senders',
    'Router',
    'Flow',
    'Send logs',
    'Logspaces',
  ]);
  const part = ['Search', 'Tail', 'Send logs', 'Logspaces'];
  expect(labels({ ...all, logspaces: ['main'] })).toEqual(part);
  expect(labels({ ...all, scope: 'host=web-1' })).toEqual(part);
});

test('operators begin with the overview where they see it', () => {
  expect(firstPage(all)).toBe('/overview');
  expect(firstPage({ ...all, logspaces: ['main'] })).toBe('/search');
  expect(firstPage({ ...all, role: 'analyst' })).toBe('/search');
});
