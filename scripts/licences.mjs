// Writes docs/licences.md: what the binary and the console are made of, and under which licence each part is. With
// `--check` it only compares, and fails if the file is out of date.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const file = join(root, 'docs/licences.md');

/** Libraries in C that packages bring along, which their own licences do not name. */
const brought = [
  ['SQLite', 'public domain', '`libsqlite3-sys`'],
  ['Zstandard', 'BSD-3-Clause', '`zstd-sys`'],
  ['jemalloc', 'BSD-2-Clause', '`tikv-jemalloc-sys`'],
];

/** Packages that our own need at run time, on Linux. */
function crates() {
  const args = ['metadata', '--format-version', '1', '--locked'];
  const target = ['--filter-platform', 'x86_64-unknown-linux-gnu'];
  const text = execFileSync('cargo', [...args, ...target], { cwd: root, maxBuffer: 2 ** 27 });
  const { packages, resolve } = JSON.parse(text);
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const open = packages.filter(({ name }) => name === 'logstead').map(({ id }) => id);
  const used = new Set();
  while (open.length > 0) {
    const id = open.pop();
    if (used.has(id)) continue;
    used.add(id);
    const isUsed = ({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind === null);
    open.push(
      ...nodes
        .get(id)
        .deps.filter(isUsed)
        .map(({ pkg }) => pkg),
    );
  }
  return packages
    .filter(({ id, source }) => used.has(id) && source !== null)
    .map(({ name, version, license }) => [name, version, license]);
}

/** Packages that the console needs at run time: the workspaces' other packages are for development. */
function modules() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { version, license }]) => [path.split('node_modules/').pop(), version, license]);
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

function packageTable(packages) {
  packages.sort(([one, a], [other, b]) => compare(one, other) || compare(a, b));
  const rows = packages.map(([name, version, license]) => {
    if (!license) throw new Error(`${name} ${version} does not say under which licence it is`);
    // A slash is an older way to write OR.
    return [`\`${name}\``, license.replaceAll(/ ?\/ ?/g, ' OR '), version];
  });
  return table(['package', 'licence', 'version'], rows);
}

function compare(one, other) {
  return one < other ? -1 : Number(other < one);
}

const text = `# Licences

Logstead is free software under the Apache License 2.0. It contains the packages below, each under a licence of its own.
\`npm run licences\` writes this list from the lock files.

## In the server

${packageTable(crates())}

Some of them bring libraries in C along:

${table(['library', 'licence', 'package'], brought)}

## In the console

${packageTable(modules())}
`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/licences.md is out of date: run `npm run licences`.');
  process.exitCode = 1;
}
