/** A name that no style sheet has is no error anywhere: the page just looks different. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aliases, tokens } from './tokens';

const folder = join(import.meta.dirname, '..');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (path) => !/\.test\.tsx?$/.test(path) && /\.(css|tsx?)$/.test(path),
);
const sources = new Map(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
const shared = new Set(
  ['global.css', 'shared.css'].flatMap((name) =>
    found(/\.([a-z]\w*)/gi, sources.get(join('ui', name)) ?? ''),
  ),
);

test('what a rule composes from global is there', () => {
  const composed = inEach(/composes: ([^;]+) from global;/g, '.css');
  expect(composed.filter(([, name]) => !shared.has(name))).toEqual([]);
});

test('what an element has as its class is there', () => {
  const written = inEach(/className="([^"]+)"/g, '.tsx');
  expect(written.filter(([, name]) => !shared.has(name))).toEqual([]);
});

test('every shared name is used', () => {
  const all = [...sources].filter(([path]) => path.endsWith('.tsx')).map(([, text]) => text);
  const composed = inEach(/composes: ([^;]+) from global;/g, '.css').map(([, name]) => name);
  const used = new Set([
    ...composed,
    ...all.flatMap((text) =>
      found(/['"`]([\w ]+)['"`]/g, text).flatMap((words) => words.split(' ')),
    ),
  ]);
  const names = found(/^\.([a-z]\w*)/gm, sources.get(join('ui', 'shared.css')) ?? '');
  expect(names.filter((name) => !used.has(name))).toEqual([]);
});

test('every variable is set somewhere', () => {
  const whole = [...sources.values()].join('\n');
  const set = new Set([
    ...Object.keys(tokens.light),
    ...Object.keys(aliases),
    ...found(/(--[\w-]+)'?\]?:/g, whole),
  ]);
  const read = inEach(/var\((--[\w-]+)\)/g, '').filter(([, name]) => !/^--mantine-/.test(name));
  expect(read.filter(([, name]) => !set.has(name))).toEqual([]);
});

function found(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}

/** The words that a pattern finds in all files with an ending, each with its file. */
function inEach(pattern: RegExp, ending: string): [string, string][] {
  return [...sources]
    .filter(([path]) => path.endsWith(ending))
    .flatMap(([path, text]) =>
      found(pattern, text).flatMap((words) =>
        words.split(' ').map((name): [string, string] => [path, name]),
      ),
    );
}
