import { expect, test } from 'vitest';
import type { RouterDocument } from '../document';
import { newTargets } from './edits';

const live: RouterDocument = {
  ...{ version: 1, sources: [], destinations: [] },
  routes: [{ id: 'default', to: ['main'] }],
  logspaces: [{ id: 'main' }, { id: 'spare' }],
};

const draft: RouterDocument = {
  ...live,
  logspaces: [...live.logspaces, { id: 'audit' }],
  destinations: [{ id: 'siem' }, { id: '' }],
};

test('targets of the draft that no route sends to are new, those that are live are not', () => {
  expect(newTargets(live, live)).toEqual([]);
  expect(newTargets(live, draft)).toEqual(['audit', 'siem']);
});

test('what another route took is not offered again', () => {
  const routes = [...draft.routes, { id: 'logins', to: ['siem'] }];
  expect(newTargets(live, { ...draft, routes })).toEqual(['audit']);
});
