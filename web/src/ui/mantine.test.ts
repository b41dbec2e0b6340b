/**
 * Mantine's styles are only loaded for the components that we use: all of them would be a tenth of
 * what Search loads.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const styles = join(
  dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css')),
  'styles',
);
const modules = join(dirname(styles), 'esm');
/** The rules for every component. */
const general = ['baseline', 'default-css-variables', 'global'];

test('the style sheets are those of the components that are used, in the order of the whole sheet', () => {
  const used = filesIn(join(import.meta.dirname, '..')).flatMap((path) =>
    importedFrom(readFileSync(path, 'utf8')),
  );
  const known = new Set(readdirSync(styles).map((name) => name.replace(/\.css$/, '')));
  const needed = [...closure(used)].filter((name) => known.has(name));
  const whole = readFileSync(join(dirname(styles), 'styles.css'), 'utf8');
  const place = (name: string) => {
    const [first = ''] =
      /\.m_[0-9a-f]+/.exec(readFileSync(join(styles, `${name}.css`), 'utf8')) ?? [];
    return whole.indexOf(first);
  };
  const expected = [...general, ...needed.sort((a, b) => place(a) - place(b))];
  const sheet = readFileSync(join(import.meta.dirname, 'mantine.css'), 'utf8');
  const loaded = [...sheet.matchAll(/@mantine\/core\/styles\/([\w-]+)\.css/g)].map(
    ([, name]) => name,
  );
  expect(loaded).toEqual(expected);
});

function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((path) => /\.tsx?$/.test(path)).map((path) => join(folder, path));
}

function importedFrom(source: string): string[] {
  const imports = source.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g);
  return [...imports].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
}

/** All parts of Mantine that components consist of, including nested ones. */
function closure(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (name: string) => {
    const folder = folders.get(name);
    if (seen.has(name) || folder === undefined) return;
    seen.add(name);
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      // A component may have parts with style sheets of their own.
      path.split('/').forEach((part) => seen.add(part));
      if (!path.endsWith('.mjs')) continue;
      const source = readFileSync(join(folder, path), 'utf8');
      for (const [, from = ''] of source.matchAll(/from "(\.[^"]+)"/g)) {
        visit(partOf(join(dirname(join(folder, path)), from)) ?? '');
      }
    }
  };
  names.forEach(visit);
  return seen;
}

const partOf = (path: string) => /\/esm\/(?:components|utils)\/([^/]+)/.exec(path)?.[1];
const folders = new Map(
  ['components', 'utils'].flatMap((kind) =>
    readdirSync(join(modules, kind), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => [entry.name, join(modules, kind, entry.name)] as const),
  ),
);
