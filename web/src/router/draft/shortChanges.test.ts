import { expect, test } from 'vitest';
import type { Item, RouterDocument } from '../document';
import { shortChangesOf } from './shortChanges';

const edge: Item = { id: 'edge', to: ['main'] };
const noise: Item = { id: 'noise', where: 'debug', to: [] };
const live: RouterDocument = {
  version: 1,
  sources: [{ id: 'syslog', kind: 'syslog' }],
  routes: [edge, noise],
  logspaces: [{ id: 'main' }],
  destinations: [],
};

function briefs(part: Partial<RouterDocument>): string[] {
  return shortChangesOf(live, { ...live, ...part }).map(({ what, id }) => `${what} ${id}`);
}

test('what does not change is not told', () => {
  expect(briefs({})).toEqual([]);
});

test('each change is told in a few words', () => {
  const steps = [{ mask: 'x' }];
  expect(briefs({ routes: [{ ...edge, steps, where: 'error' }, noise] })).toEqual([
    '+ mask in edge',
    'filter of edge',
  ]);
  expect(briefs({ routes: [edge, { ...noise, enabled: false }] })).toEqual(['disabled noise']);
  expect(briefs({ routes: [edge, noise, { id: 'last' }] })).toEqual(['+ last']);
  expect(briefs({ routes: [noise] })).toEqual(['− edge']);
});

test('an order that changes is told once', () => {
  expect(briefs({ routes: [noise, edge] })).toEqual(['order of routes']);
  expect(briefs({ routes: [{ id: 'first' }, edge, noise] })).toEqual(['+ first']);
});
