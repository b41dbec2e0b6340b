import { expect, test } from 'vitest';
import type { RouterDocument } from '../document';
import { areTyped, goneLogspaces } from './gone';

const withLogspaces = (...ids: string[]): RouterDocument => ({
  ...{ version: 1, sources: [], routes: [], destinations: [] },
  logspaces: ids.map((id) => ({ id })),
});

test('a logspace is gone when it is removed or gets another name', () => {
  const before = withLogspaces('main', 'security', 'web');
  expect(goneLogspaces(before, withLogspaces('web', 'main', 'logins'))).toEqual(['security']);
  expect(goneLogspaces(before, before)).toEqual([]);
});

test('each of them has to be typed', () => {
  expect(areTyped([], {})).toBe(true);
  expect(areTyped(['main', 'web'], { main: 'main' })).toBe(false);
  expect(areTyped(['main', 'web'], { main: ' main ', web: 'web' })).toBe(true);
});
