import { expect, test } from 'vitest';
import type { Item, RouterDocument, Section } from '../document';
import { badgesOf, newSteps } from './badges';

const live: RouterDocument = {
  version: 1,
  sources: [{ id: 'in', kind: 'syslog', enabled: true, listen: ['tcp://0.0.0.0:5514'] }],
  logspaces: [{ id: 'main', retention: { age: '90d' } }],
  destinations: [
    { id: 'siem', kind: 'syslog', enabled: true, to: 'tcp://a:1', queue: { size: '1GiB' } },
  ],
  routes: [
    {
      ...{ id: 'pay', enabled: true, from: [], where: '*', to: ['main'], final: false },
      steps: [{ parse: 'json' }, { tag: ['a'] }],
    },
  ],
};

const of = (section: Section, part: Item) => {
  const item = { ...live[section][0], ...part };
  return badgesOf(live, section, item).join(', ');
};

test('what is changed on a route', () => {
  expect(of('routes', {})).toBe('');
  expect(of('routes', { where: 'host:a' })).toBe('filter changed');
  expect(of('routes', { to: ['main', 'siem'], enabled: false })).toBe('disabled, targets changed');
  expect(of('routes', { id: 'other' })).toBe('new');
  expect(of('routes', { final: true })).toBe('ends here');
});

test('steps are named that came and went', () => {
  const steps = [{ parse: 'json' }, { mask: 'x', with: '*' }];
  expect(of('routes', { steps })).toBe('+ mask, − tag');
  expect(of('routes', { steps: [{ parse: 'kv' }, { tag: ['a'] }] })).toBe('steps changed');
  expect([...newSteps(live, { ...live.routes[0], steps })]).toEqual([1]);
});

test('a key that says what counts anyway is no change', () => {
  const lean = { id: 'pay', to: ['main'], steps: live.routes[0]?.['steps'] ?? [] };
  expect(badgesOf(live, 'routes', lean)).toEqual([]);
  expect(of('routes', { where: '' })).toBe('');
  expect(of('sources', { format: 'auto' })).toBe('');
  expect(of('destinations', { to: ['tcp://a:1'] })).toBe('');
});

test('settings are called as in their form', () => {
  expect(of('destinations', { queue: { size: '4GiB' } })).toBe('queue size changed');
  expect(of('destinations', { kind: 'relp' })).toBe('kind changed');
  expect(of('sources', { enabled: false })).toBe('disabled');
  expect(of('logspaces', { retention: { age: '30d' } })).toMatch(/changed$/);
});
