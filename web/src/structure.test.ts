/** What holds for the files of the console as a whole. The linter checks the imports between folders. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

type Imports = ReadonlyMap<string, readonly string[]>;

test('no two files import each other, not even types', () => {
  expect(circleIn(importsOf(import.meta.dirname))).toBeNull();
});

test('a circle is found wherever it is', () => {
  const check = (imports: Record<string, string[]>, circle: string[] | null) =>
    expect(circleIn(new Map(Object.entries(imports)))).toEqual(circle);
  check({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, null);
  check({ a: ['a'] }, ['a', 'a']);
  check({ a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']);
});

test('imports are found in every form', () => {
  const source = `
    import a, { type B } from './a';
    import type { C } from '../c';
    import './d.css';
    export * from './e';
    const F = lazy(() => import('./f'));
    import { g } from 'g';`;
  expect(specifiersIn(source)).toEqual(['./a', '../c', './d.css', './e', './f']);
});

test('each part of the search page is in a folder', () => {
  const atTheRoot = readdirSync(join(import.meta.dirname, 'search'));
  expect(atTheRoot.filter((name) => name.endsWith('.tsx'))).toEqual([]);
});

/** The files of a folder and which of them each imports. */
function importsOf(folder: string): Imports {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const known = new Set(files.filter((path) => /\.tsx?$/.test(path)));
  const targetOf = (file: string, specifier: string) =>
    ['.ts', '.tsx'].map((end) => join(dirname(file), specifier) + end).find((at) => known.has(at));
  return new Map(
    [...known].map((file) => {
      const specifiers = specifiersIn(readFileSync(join(folder, file), 'utf8'));
      return [file, specifiers.flatMap((specifier) => targetOf(file, specifier) ?? [])];
    }),
  );
}

function specifiersIn(source: string): string[] {
  const matches = source.matchAll(/\b(?:from|import)[ (]'(\.\.?\/[^']+)'/g);
  return [...matches].map(([, specifier = '']) => specifier);
}

/** The first circle, from a file back to the same one. */
function circleIn(imports: Imports): string[] | null {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | null => {
    const start = path.indexOf(file);
    if (start !== -1) return [...path.slice(start), file];
    if (done.has(file)) return null;
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle !== null) return circle;
    }
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle !== null) return circle;
  }
  return null;
}
