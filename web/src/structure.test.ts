/** The rules for the files of the console as a whole. The linter checks imports between folders. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
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

/** The maximum number of lines of a component: a longer one does more than one thing. */
const COMPONENT_LINES_MAX = 120;

test('no component is longer than a page', () => {
  expect(components(import.meta.dirname).filter(isTooLong)).toEqual([]);
});

test('a component is measured however it is written', () => {
  const check = (source: string, expected: readonly (readonly [string, number])[]) =>
    expect(componentsIn('a.tsx', source).map(({ name, lines }) => [name, lines])).toEqual(expected);
  check('export function A() {\n  return <b />;\n}', [['A', 3]]);
  check('const A = memo(function A() {\n  return null;\n});', [['A', 3]]);
  check('const A = memo(() => {\n  return null;\n});', [['A', 3]]);
  check('export default function () {\n  return <b />;\n}', [['default', 3]]);
  check('function help() {\n  return <b />;\n}\nconst Sum = 1;', [['help', 3]]);
  check('function A() {\n  const on = () => 1;\n  return <b on={() => 2} />;\n}', [['A', 4]]);
  const long = `function Long() {${'\n'.repeat(COMPONENT_LINES_MAX)}}`;
  expect(componentsIn('a.tsx', long).filter(isTooLong)).toHaveLength(1);
});

test('a comment says what a thing is in a sentence of its own', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter(
      (file) =>
        /\.tsx?$/.test(file) && file !== join('api', 'types.ts') && file !== 'structure.test.ts',
    )
    .flatMap((file) => {
      const source = readFileSync(join(import.meta.dirname, file), 'utf8');
      return nounClausesIn(source).map((start) => `${file}: ${start}`);
    });
  expect(found).toEqual([]);
});

test('a noun clause is found at the beginning of any comment', () => {
  expect(nounClausesIn('/** What the page shows. */')).toEqual(['What the page']);
  expect(nounClausesIn('/**\n * Where one begins.\n */')).toEqual(['Where one begins']);
  expect(nounClausesIn('  // Of a route: its steps.')).toEqual(['Of a route']);
  expect(nounClausesIn('/** The page that a user begins with. */')).toEqual([]);
});

test('each part of the search page is in a folder', () => {
  const atTheRoot = readdirSync(join(import.meta.dirname, 'search'));
  expect(atTheRoot.filter((name) => name.endsWith('.tsx'))).toEqual([]);
});

/** The first words of comments that begin like `What it shows`, where `The … that it shows` would name the thing. */
function nounClausesIn(source: string): string[] {
  const openings = /(?:\/\*\*\s+(?:\* )?|^[ \t]*\/\/ )((?:What|Where|Of|As|Who) [a-z]+ \w+)/gm;
  return [...source.matchAll(openings)].map(([, words = '']) => words);
}

type Component = { file: string; name: string; lines: number };

function isTooLong({ lines }: Component): boolean {
  return lines > COMPONENT_LINES_MAX;
}

function components(folder: string): Component[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
    .flatMap((file) => componentsIn(file, readFileSync(join(folder, file), 'utf8')));
}

/** The components of a file, and all other functions at its top level. */
function componentsIn(file: string, text: string): Component[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node, name: string): Component[] => {
    const called = nameOf(node) ?? name;
    if (!ts.isFunctionLike(node)) return childrenOf(node).flatMap((child) => visit(child, called));
    if (!('body' in node) || node.body === undefined) return [];
    return [{ file, name: called, lines: lineAt(node.end) - lineAt(node.getStart()) + 1 }];
  };
  return visit(source, 'default');
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

function nameOf(node: ts.Node): string | undefined {
  const isNamed = ts.isVariableDeclaration(node) || ts.isFunctionLike(node);
  return isNamed && node.name !== undefined && ts.isIdentifier(node.name)
    ? node.name.text
    : undefined;
}

/** The files of a folder, and the imports of each among them. */
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

/** The first import cycle, from a file back to itself. */
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
