import { expect, test } from 'vitest';
import { type ScopePreview, inVain, partsOf, shareText } from './preview';

function found(logspaces: Record<string, number>): ScopePreview {
  const values = Object.entries(logspaces).map(([value, count]) => ({ value, count }));
  return {
    histogram: { interval_ms: 1, buckets: [], total: 0, later: 0 },
    fields: { logspace: { messages: 0, distinct: values.length, values } },
    messages: [],
  };
}

const all = found({ main: 100, app: 50, empty: 0 });

test('each logspace of a grant says what it gives, also one that gives nothing', () => {
  const grant = { logspaces: ['main', 'app'], scope: 'host:shop-*' };
  const parts = partsOf(grant, found({ app: 20 }), all);
  expect(parts).toEqual([
    { name: 'app', count: 20, of: 50 },
    { name: 'main', count: 0, of: 100 },
  ]);
  expect(inVain(grant, parts).map(({ name }) => name)).toEqual(['main']);
});

test('an empty logspace is not granted in vain', () => {
  const grant = { logspaces: ['empty'], scope: 'host:shop-*' };
  expect(inVain(grant, partsOf(grant, found({}), all))).toEqual([]);
});

test('without logspaces those are told that hold something', () => {
  const grant = { logspaces: null, scope: 'host:shop-*' };
  const parts = partsOf(grant, found({ app: 20 }), all);
  expect(parts.map(({ name }) => name)).toEqual(['app', 'main', 'empty']);
  expect(inVain(grant, parts)).toEqual([]);
});

test.each([
  [0, 0, ''],
  [0, 10, '0 %'],
  [86, 1000, '8.6 %'],
  [1, 100_000, '< 0.1 %'],
  [99_999, 100_000, '> 99.9 %'],
  [10, 10, '100 %'],
])('%d of %d is a share of %j', (count, of, expected) => {
  expect(shareText(count, of)).toBe(expected);
});
