import { expect, test } from 'vitest';
import type { Session } from './model';
import { continued, endsAt, hasEnded } from './session';

const nobody: Session = {
  authenticated: false,
  setup_required: false,
  user: null,
  csrf_token: null,
  expires_at: null,
  second_factor_required: false,
  providers: [],
  version: '1',
};
const user = { name: 'ana', role: 'analyst', logspaces: null, scope: null } as const;
const ana: Session = { ...nobody, authenticated: true, user };

test('whose session ends while a page is open stays its user, and has to sign in again', () => {
  const ended = continued(ana, nobody);
  expect(ended.user).toEqual(ana.user);
  expect(hasEnded(ended)).toBe(true);
  expect(hasEnded(continued(ended, nobody))).toBe(true);
  expect(hasEnded(continued(ended, ana))).toBe(false);
});

test('a first visit is not a lost session', () => {
  expect(continued(undefined, nobody)).toEqual(nobody);
  expect(continued(nobody, nobody)).toEqual(nobody);
  expect(hasEnded(nobody)).toBe(false);
  const empty = { ...nobody, setup_required: true };
  expect(continued(ana, empty)).toEqual(empty);
});

test('a server that says no end has none', () => {
  expect(endsAt(ana)).toBeNull();
  const ends = { ...ana, expires_at: '2026-01-02T03:04:05Z' };
  expect(endsAt(ends)).toBe(Date.parse('2026-01-02T03:04:05Z'));
});
