import { expect, test } from 'vitest';
import type { User } from '../api/session';
import { mayChangeRouter, mayManage } from './permission';

const ana: User = { name: 'ana', role: 'operator', logspaces: null, scope: null };

test.each<[Partial<User>, boolean, boolean]>([
  [{}, true, true],
  [{ role: 'admin' }, true, true],
  [{ role: 'analyst' }, false, false],
  [{ logspaces: ['main'] }, true, false],
  [{ logspaces: ['other'] }, false, false],
  [{ scope: 'host:a' }, false, false],
])('%j may manage main: %s, and change the router: %s', (part, manages, changes) => {
  expect(mayManage({ ...ana, ...part }, 'main')).toBe(manages);
  expect(mayChangeRouter({ ...ana, ...part })).toBe(changes);
});

test('without a user nothing is offered', () => {
  expect(mayManage(null, 'main')).toBe(false);
  expect(mayChangeRouter(undefined)).toBe(false);
});
