import { expect, test } from 'vitest';
import type { Item, RouterDocument } from '../document';
import { isSame, merge } from './merge';

const of = (routes: Item[], logspaces: Item[] = []): RouterDocument => ({
  version: 1,
  sources: [],
  routes,
  logspaces,
  destinations: [],
});
const route = (id: string, where = '*'): Item => ({ id, where });
const names = ({ routes }: RouterDocument) => routes.map(({ id }) => id);

/** Pseudorandom numbers, the same in every run. */
function numbers(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function anyDocument(next: (below: number) => number): RouterDocument {
  const items = () =>
    Array.from({ length: next(5) }, () => route('abcdefg'.charAt(next(7)), String(next(3))));
  return of(items(), items());
}

/** A few random edits of a document. */
function changed(document: RouterDocument, next: (below: number) => number): RouterDocument {
  let { routes } = document;
  for (let edits = next(4); edits > 0; edits -= 1) {
    const at = next(routes.length + 1);
    const what = next(4);
    if (what === 0) routes = routes.toSpliced(at, 1);
    if (what === 1) routes = routes.toSpliced(at, 0, route('abcdefghij'.charAt(next(10)), 'new'));
    if (what === 2) routes = routes.map((one, i) => (i === at ? { ...one, where: 'other' } : one));
    if (what === 3) routes = routes.toSorted(() => next(3) - 1);
  }
  return { ...document, routes };
}

test.each(Array.from({ length: 300 }, (_, seed) => seed))('random documents, seed %i', (seed) => {
  const next = numbers(seed);
  const base = anyDocument(next);
  const [theirs, ours] = [changed(base, next), changed(base, next)];
  // If one side did not change an entry, the result has the other side's version.
  expect(merge(base, theirs, base)).toEqual({ document: theirs, conflicts: [] });
  expect(merge(base, base, ours)).toEqual({ document: ours, conflicts: [] });
  expect(merge(base, ours, ours)).toEqual({ document: ours, conflicts: [] });
  const { document, conflicts } = merge(base, theirs, ours);
  // Every entry comes from one of the sides, and both sides see the same conflicts.
  for (const item of document.routes) {
    expect([...theirs.routes, ...ours.routes].some((one) => isSame(one, item))).toBe(true);
  }
  const keys = (list: typeof conflicts) => list.map(({ key }) => key).sort();
  expect(keys(merge(base, ours, theirs).conflicts)).toEqual(keys(conflicts));
  // Choosing `theirs` everywhere gives the result that the other user gets without choosing it anywhere.
  const chosen = new Map(conflicts.map(({ key }) => [key, 'theirs' as const]));
  const ids = (of: RouterDocument) => of.routes.map((one) => JSON.stringify(one)).sort();
  expect(ids(merge(base, theirs, ours, chosen).document)).toEqual(
    ids(merge(base, ours, theirs).document),
  );
});

test('changes of different entries go together', () => {
  const base = of([route('a'), route('b'), route('c')]);
  const theirs = of([route('a', 'x'), route('new'), route('b'), route('c')]);
  const ours = of([route('c'), route('a'), route('b', 'y')]);
  const { document, conflicts } = merge(base, theirs, ours);
  expect(conflicts).toEqual([]);
  expect(document.routes).toEqual([route('c'), route('a', 'x'), route('new'), route('b', 'y')]);
});

test('an entry that one side changed and the other removed is a conflict', () => {
  const base = of([route('a'), route('b')]);
  const theirs = of([route('a', 'x'), route('b')]);
  const ours = of([route('b')]);
  const { document, conflicts } = merge(base, theirs, ours);
  expect(conflicts).toMatchObject([{ id: 'a', theirs: route('a', 'x'), ours: undefined }]);
  expect(names(document)).toEqual(['b']);
  const chosen = new Map([['routes a', 'theirs' as const]]);
  expect(names(merge(base, theirs, ours, chosen).document)).toEqual(['a', 'b']);
});

test('the order of keys is no change', () => {
  expect(isSame({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toBe(true);
  expect(isSame({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
});
