// Writes docs/licences.md, a list of the packages in the binary and the console with their licences, and
// docs/licence-texts.txt, the texts of these licences as the packages ship them. With `--check` it only compares, and fails
// if a file is out of date.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';

/** Names of files with a licence, or with a notice that has to be distributed with it. */
const TEXT = /^(licen[cs]e|copying|copyright|notice|unlicense)/i;

/** C libraries bundled with packages, which the packages' own licences do not mention. */
const brought = [
  { name: 'SQLite', license: 'public domain', by: 'libsqlite3-sys' },
  { name: 'Zstandard', license: 'BSD-3-Clause', by: 'zstd-sys', inside: 'zstd' },
  { name: 'jemalloc', license: 'BSD-2-Clause', by: 'tikv-jemalloc-sys', inside: 'jemalloc' },
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
    .map(({ name, version, license, manifest_path: manifest }) => ({
      name,
      version,
      license,
      folder: dirname(manifest),
    }));
}

/**
 * Packages that the console needs at run time: the other packages of the workspaces are for
 * development.
 */
function modules() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { version, license }]) => ({
      name: path.split('node_modules/').pop(),
      version,
      license,
      folder: join(root, path),
    }));
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

function packageTable(packages) {
  const rows = packages.map(({ name, version, license }) => {
    if (!license) throw new Error(`${name} ${version} does not say under which licence it is`);
    // A slash is an older way to write OR.
    return [`\`${name}\``, license.replaceAll(/ ?\/ ?/g, ' OR '), version];
  });
  return table(['package', 'licence', 'version'], rows);
}

const byName = (one, other) => compare(one.name, other.name) || compare(one.version, other.version);

function compare(one, other) {
  return one < other ? -1 : Number(other < one);
}

/**
 * The texts that a package ships, without the white space in which copies of one text differ. Of several licences to
 * choose from, MIT is chosen: it is the shortest.
 */
function textsOf({ folder, license }) {
  const files = readdirSync(folder, { withFileTypes: true });
  const named = files.filter(
    (file) => file.isFile() && TEXT.test(file.name) && !/\.rs$/.test(file.name),
  );
  const inFolder = files.filter((file) => file.isDirectory() && /^licen[cs]es?$/i.test(file.name));
  const nested = inFolder.flatMap(({ name }) =>
    readdirSync(join(folder, name), { withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(name, file.name)),
  );
  const all = [...named.map(({ name }) => name), ...nested].toSorted();
  const others =
    /\bor\b|\//i.test(license) && all.some((name) => /mit/i.test(name))
      ? /apache|unlicense|mpl|zlib|0bsd|boost/i
      : /^$/;
  return all
    .filter((name) => !others.test(name))
    .map((name) =>
      readFileSync(join(folder, name), 'utf8')
        .replaceAll('\r', '')
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n')
        .replaceAll(/\n{3,}/g, '\n\n')
        .trim(),
    );
}

/**
 * Each text once, below the packages that ship it. A package without a text is under the terms that
 * its entry names.
 */
function allTexts(packages) {
  const users = new Map();
  const without = [];
  for (const part of packages) {
    const texts = textsOf(part);
    const title = `${part.name} ${part.version} (${part.license})`;
    if (texts.length === 0) without.push(title);
    for (const text of texts) users.set(text, (users.get(text) ?? new Set()).add(title));
  }
  const line = '='.repeat(80);
  const sections = [...users].map(([text, titles]) => [...titles].join('\n') + `\n\n${text}`);
  const none = `These packages ship no text of their own; the terms are those of the licence that each names:\n\n`;
  return [...sections, none + without.join('\n')].join(`\n\n${line}\n`) + '\n';
}

const inServer = crates().toSorted(byName);
const inConsole = modules().toSorted(byName);
const inC = brought.flatMap(({ name, license, by, inside }) => {
  const part = inServer.find((part) => part.name === by);
  return inside
    ? [{ name, version: part.version, license, folder: join(part.folder, inside) }]
    : [];
});

const list = `# Licences

Logstead is free software under the Apache License 2.0. It contains the packages below, each under a licence of its own.
\`npm run licences\` writes this list from the lock files. \`logstead licences\` prints the texts of all of them, and the
server answers with them at \`/licences.txt\`.

## In the server

${packageTable(inServer)}

Some of them bring libraries in C along:

${table(
  ['library', 'licence', 'package'],
  brought.map(({ name, license, by }) => [name, license, `\`${by}\``]),
)}

## In the console

${packageTable(inConsole)}
`;

const files = {
  'docs/licences.md': list,
  'docs/licence-texts.txt': allTexts([...inServer, ...inC, ...inConsole]),
};
for (const [name, text] of Object.entries(files)) {
  const file = join(root, name);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is out of date: run \`npm run licences\`.`);
    process.exitCode = 1;
  }
}
