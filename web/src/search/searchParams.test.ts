import { expect, test } from 'vitest';
import { type SearchState, readSearch, writeSearch } from './searchParams';

const initial = readSearch({});

test('a bare address is the newest of the last hour, which stand still unless the reader wants them live', () => {
  expect(initial.query).toBe('');
  expect(initial.range).toEqual({ kind: 'last', span: '1h' });
  expect(initial.refresh).toBe('off');
  expect(readSearch({}, 'live').refresh).toBe('live');
  expect(readSearch({ refresh: '5' }, 'live').refresh).toBe('5');
  expect(writeSearch(initial)).toEqual({});
});

test('what is written is read back as the same state', () => {
  const states: Partial<SearchState>[] = [
    { query: 'failed password' },
    { query: '404', range: { kind: 'all' } },
    { range: { kind: 'last', span: '15m' }, logspaces: ['main', 'dmz'] },
    { range: { kind: 'between', from: '2026-01-02T03:04:05Z', to: '2026-01-03T00:00:00Z' } },
    { range: { kind: 'between', from: null, to: 'now-1h' }, open: 'main:42' },
    { chart: 'area', measure: 'p95(took)', saved: '12' },
    { refresh: 'live', view: 'table', columns: ['host', 'user'], times: 'relative', wrap: true },
    {
      off: ['host:web', '-"a, b"'],
      split: '',
      facets: [],
      tab: 'raw',
      marks: ['main:1', 'main:2'],
    },
  ];
  for (const part of states) {
    const state = { ...initial, ...part };
    expect(readSearch(writeSearch(state))).toEqual(state);
  }
});

test('nonsense in the address never breaks the page', () => {
  expect(readSearch({ refresh: '0.001', logspace: ',,' })).toEqual(initial);
  expect(readSearch({ from: 'yesterday-ish' }).range).toEqual({
    kind: 'between',
    from: 'yesterday-ish',
    to: null,
  });
});

test('an empty absolute range is all time', () => {
  const range = { kind: 'between', from: null, to: null } as const;
  expect(readSearch(writeSearch({ ...initial, range })).range).toEqual({ kind: 'all' });
});
