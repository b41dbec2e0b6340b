import { expect, test } from 'vitest';
import type { RouterDocument } from '../document';
import { type Edit, addIndex, edited, freeId } from './edits';

const document: RouterDocument = {
  version: 1,
  sources: [{ id: 'syslog', kind: 'syslog', coalesce: { delay: '5ms', buffer: '1MiB' } }],
  logspaces: [{ id: 'main', durability: 'fsync' }],
  destinations: [{ id: 'siem', kind: 'syslog' }],
  routes: [
    { id: 'auth', from: ['syslog'], where: 'program:sshd', to: ['main', 'siem'] },
    { id: 'default', from: [], where: '*', to: ['main'], final: true },
  ],
};

const first = (section: 'sources' | 'logspaces' | 'destinations' | 'routes') => ({
  section,
  index: 0,
});

test('a value is set, also inside a table, and the rest stays as it was', () => {
  const edit: Edit = { type: 'set', place: first('sources'), key: 'coalesce.delay', value: '9ms' };
  const result = edited(document, edit);
  expect(result.sources[0]?.['coalesce']).toEqual({ delay: '9ms', buffer: '1MiB' });
  expect(result.routes).toBe(document.routes);
  expect(document.sources[0]?.['coalesce']).toEqual({ delay: '5ms', buffer: '1MiB' });
});

test('a value that is taken out leaves no empty table behind', () => {
  let result = document;
  for (const key of ['coalesce.delay', 'coalesce.buffer']) {
    result = edited(result, { type: 'set', place: first('sources'), key, value: undefined });
  }
  expect(result.sources[0]).toEqual({ id: 'syslog', kind: 'syslog' });
});

test('routes follow a new name', () => {
  const check = (section: 'sources' | 'logspaces', key: string, names: string[]) => {
    const result = edited(document, {
      type: 'set',
      place: first(section),
      key: 'id',
      value: 'new',
    });
    expect(result.routes[0]?.[key]).toEqual(names);
  };
  check('sources', 'from', ['new']);
  check('logspaces', 'to', ['new', 'siem']);
});

test('a name that another item has keeps its references', () => {
  const twice = { ...document, destinations: [{ id: 'main', kind: 'file' }] };
  const edit: Edit = { type: 'set', place: first('destinations'), key: 'id', value: 'other' };
  expect(edited(twice, edit).routes).toEqual(document.routes);
});

test('a removed item stays named in routes, for the server to point at', () => {
  const result = edited(document, { type: 'remove', place: first('destinations') });
  expect(result.destinations).toEqual([]);
  expect(result.routes[0]?.['to']).toEqual(['main', 'siem']);
});

test('a new route stands above the ones at the end that take everything', () => {
  expect(addIndex(document, 'routes')).toBe(1);
  const result = edited(document, { type: 'add', section: 'routes', item: { id: 'new' } });
  expect(result.routes.map((route) => route['id'])).toEqual(['auth', 'new', 'default']);
  expect(addIndex(document, 'logspaces')).toBe(1);
  expect(addIndex({ ...document, routes: [{ id: 'rest', fallback: true }] }, 'routes')).toBe(0);
  const copies = [{ id: 'all', where: '*', to: ['main'], final: false }];
  expect(addIndex({ ...document, routes: copies }, 'routes')).toBe(0);
  const filtered = [...copies, { id: 'web', where: 'program:nginx', to: ['main'] }];
  expect(addIndex({ ...document, routes: filtered }, 'routes')).toBe(2);
});

test('routes change places, within their list', () => {
  const order = (to: number) =>
    edited(document, { type: 'move', place: first('routes'), to }).routes.map(
      (route) => route['id'],
    );
  expect(order(1)).toEqual(['default', 'auth']);
  expect(order(2)).toEqual(['auth', 'default']);
  expect(order(-1)).toEqual(['auth', 'default']);
});

test('an edit of a place that is not there changes nothing', () => {
  const place = { section: 'routes', index: 9 } as const;
  const edits: Edit[] = [
    { type: 'set', place, key: 'id', value: 'x' },
    { type: 'replace', place, item: { id: 'x' } },
    { type: 'remove', place },
    { type: 'move', place, to: 0 },
  ];
  for (const edit of edits) expect(edited(document, edit)).toEqual(document);
});

test('a new item gets a name that nothing has', () => {
  expect(freeId(document, 'route')).toBe('route');
  expect(freeId(document, 'main')).toBe('main-2');
});
