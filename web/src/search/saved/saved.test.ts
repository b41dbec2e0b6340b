import { expect, test } from 'vitest';
import { type SearchState, readSearch } from '../searchParams';
import {
  type SavedPart,
  type SavedSearch,
  found,
  freeName,
  inFolders,
  isChanged,
  opened,
  parts,
  toSave,
} from './saved';

const initial = readSearch({});
const shown: SearchState = {
  ...initial,
  query: 'error',
  range: { kind: 'last', span: '6h' },
  logspaces: ['main'],
  columns: ['host', 'user'],
  refresh: '5',
  open: 'main:1',
};

function save(
  state: SearchState,
  keeps: readonly SavedPart[],
  part: Partial<SavedSearch> = {},
): SavedSearch {
  const described = { name: 'n', folder: '', tags: [], shared: false, keeps };
  const at = '2026-01-01T00:00:00Z';
  const times = { created_at: at, updated_at: at, last_used: null };
  // The search as the server returns it.
  const kept = JSON.parse(JSON.stringify(toSave(state, described))) as ReturnType<typeof toSave>;
  return { ...kept, id: 7, owner: 'ana', mine: true, ...times, ...part };
}

test('what is saved opens as it was, without the message that was open', () => {
  const other = { ...initial, query: 'x', split: 'host' };
  expect(opened(save(shown, parts), other)).toEqual({
    ...shown,
    refresh: other.refresh,
    open: null,
    saved: '7',
  });
});

test('every range is read back', () => {
  const ranges: SearchState['range'][] = [
    { kind: 'all' },
    { kind: 'last', span: '1h' },
    { kind: 'between', from: '2026-01-01T00:00:00Z', to: null },
    { kind: 'between', from: null, to: 'now-1h' },
  ];
  for (const range of ranges)
    expect(opened(save({ ...shown, range }, parts), initial).range).toEqual(range);
});

test('what is not kept stays as it is', () => {
  const state = opened(save(shown, []), { ...initial, columns: ['pid'] });
  expect([state.query, state.range, state.logspaces, state.columns]).toEqual([
    'error',
    initial.range,
    [],
    ['pid'],
  ]);
});

test('a view that another program wrote does no harm', () => {
  for (const view of [
    {},
    { keeps: 'all', params: 7 },
    { params: { wrap: 1, q: 'evil', split: 'host' } },
  ]) {
    const state = opened(save(shown, parts, { view }), initial);
    expect(state.query).toBe('error');
  }
});

test('a search is changed when it would open as another one', () => {
  const saved = save(shown, parts);
  const fresh = opened(saved, initial);
  expect(isChanged(saved, { ...fresh, open: 'main:9', marks: ['main:1'] })).toBe(false);
  expect(isChanged(saved, { ...fresh, query: 'other' })).toBe(true);
  expect(isChanged(saved, { ...fresh, columns: ['pid'] })).toBe(true);
  expect(isChanged(save(shown, ['range']), { ...fresh, columns: ['pid'] })).toBe(false);
});

const some = [
  save(shown, parts, { id: 1, name: 'b', folder: 'web', tags: ['ops'] }),
  save(shown, parts, { id: 2, name: 'a 10', query: 'denied', tags: ['fw'] }),
  save(shown, parts, { id: 3, name: 'a 9', owner: 'bob', mine: false }),
];

test('folders come by name, those without one first', () => {
  expect(inFolders(some).map(({ name, searches }) => [name, searches.map(({ id }) => id)])).toEqual(
    [
      ['', [3, 2]],
      ['web', [1]],
    ],
  );
});

test('all words are looked for in all that is known', () => {
  const ids = (text: string, tag: string | null = null) =>
    found(some, text, tag).map(({ id }) => id);
  expect(ids('')).toEqual([1, 2, 3]);
  expect(ids('DENIED a')).toEqual([2]);
  expect(ids('bob')).toEqual([3]);
  expect(ids('', 'ops')).toEqual([1]);
  expect(ids('bob', 'ops')).toEqual([]);
});

test('a free name counts on', () => {
  expect(freeName('b', 'web', some)).toBe('b 2');
  expect(freeName('a 10', '', some)).toBe('a 2');
  expect(freeName('a 9', '', some)).toBe('a 9');
});
