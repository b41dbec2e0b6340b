import { expect, test } from 'vitest';
import {
  nameOfPath,
  placeOf,
  problemOfField,
  problemsOfItem,
  problemsOfNoField,
  warningOfRoute,
} from './problems';

const problems = [
  { path: 'routes[2].where', message: 'is no query' },
  { path: 'routes[2].to[1]', message: 'no such target' },
  { path: 'routes[2].retension', message: 'unknown key' },
  { path: 'sources[0].coalesce.delay', message: 'is too long' },
  { path: '', message: 'no logspace' },
];

test('a path names an item and a field of it', () => {
  expect(placeOf('routes[2].where')).toEqual({ section: 'routes', index: 2, key: 'where' });
  expect(placeOf('sources[10].listen[1]')).toEqual({
    section: 'sources',
    index: 10,
    key: 'listen',
  });
  expect(placeOf('sources[0].coalesce.delay')?.key).toBe('coalesce.delay');
  expect(placeOf('logspaces[0]')).toEqual({ section: 'logspaces', index: 0, key: '' });
});

test('a path that names no item has no place', () => {
  for (const path of ['', 'version', 'routes', 'alerts[0].id', 'routes[x]']) {
    expect(placeOf(path), path).toBeNull();
  }
});

test('every problem of an item is shown, at its field or above the fields', () => {
  const ofRoute = problemsOfItem(problems, { section: 'routes', index: 2 });
  expect(ofRoute).toHaveLength(3);
  expect(problemOfField(ofRoute, 'where')).toBe('is no query');
  expect(problemOfField(ofRoute, 'to')).toBe('no such target');
  expect(problemOfField(ofRoute, 'from')).toBeUndefined();
  expect(problemsOfNoField(ofRoute, ['where', 'to'])).toEqual([problems[2]]);
  expect(problemsOfItem(problems, { section: 'routes', index: 1 })).toEqual([]);
});

test('a warning of the server stands with its route', () => {
  const never = 'route `late`: it can never match, because of `a`';
  const warnings = [
    { code: 'messages-dropped', path: 'sources[2]', message: 'source `a`: it is lost' },
    { code: 'never-matches', path: 'routes[1]', message: never },
  ] as const;
  expect(warningOfRoute(warnings, 1)).toBe('it can never match, because of `a`');
  expect(warningOfRoute(warnings, 2)).toBeUndefined();
});

test('a path is shown with the names on the page', () => {
  const items = { routes: [{ id: 'web' }, { id: 'security' }], sources: [{ kind: 'syslog' }] };
  const told = (path: string) => {
    const { noun, name, field } = nameOfPath(path, ({ section, index }) =>
      section === 'routes' || section === 'sources' ? items[section][index] : undefined,
    );
    return [`${noun} ${name}`.trim(), field].filter((part) => part !== '').join(', ');
  };
  expect(told('routes[1].where')).toBe('Route security, filter');
  expect(told('routes[1].to[0]')).toBe('Route security, send to');
  expect(told('routes[0].steps[1].mask.pattern')).toBe('Route web, step 2, pattern');
  expect(told('sources[0].coalesce.delay')).toBe('Source 1, read delay');
  expect(told('sources[0].colour')).toBe('Source 1, colour');
  expect(told('logspaces[4]')).toBe('Logspace 5');
  expect(told('')).toBe('The document');
  expect(told('version')).toBe('version');
});
