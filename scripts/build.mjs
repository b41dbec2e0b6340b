// Builds what `npm start` runs: web dependencies, the console, and the release binary with the console embedded.
// Each step is skipped if its result is up to date. The binary is not built when `LOGSTEAD` names one.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, runOrExit } from './run.mjs';
import { requireTools } from './tools.mjs';

const given = process.env.LOGSTEAD;
export const binary = given ?? join(root, 'target/release/logstead');

export async function build() {
  await buildConsole();
  if (given) return;
  await runOrExit('cargo', ['build', '--release', '--locked', '--package', 'logstead'], {
    env: { CARGO_TARGET_DIR: join(root, 'target') },
  });
}

export async function buildConsole() {
  await installDependencies();
  if (consoleIsCurrent()) return;
  await runOrExit('npm', ['run', 'build', '--workspace', 'web']);
}

export async function installDependencies() {
  if (dependenciesAreCurrent()) return;
  await runOrExit('npm', ['ci', '--no-fund', '--no-audit']);
}

/** Whether node_modules holds the versions that package-lock.json asks for (npm keeps a list of what it installed). */
function dependenciesAreCurrent() {
  const installedList = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installedList)) return false;
  const installed = packages(installedList);
  return Object.entries(packages(join(root, 'package-lock.json'))).every(
    ([path, { version, optional, link }]) =>
      !path.startsWith('node_modules/') || optional || link || installed[path]?.version === version,
  );
}

function packages(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

/** Whether web/dist is newer than everything it is built from. */
function consoleIsCurrent() {
  const page = join(root, 'web/dist/index.html');
  if (!existsSync(page)) return false;
  const inputs = [
    'web/src',
    'web/favicon.svg',
    'web/index.html',
    'web/vite.config.ts',
    'web/package.json',
    'docs', // some of it are pages of the console
  ];
  const changed = inputs.map((path) => newestChange(join(root, path)));
  const installed = statSync(join(root, 'node_modules/.package-lock.json')).mtimeMs;
  return Math.max(installed, ...changed) < statSync(page).mtimeMs;
}

/** A removed file shows as a change of its folder. */
function newestChange(path) {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  const children = readdirSync(path).map((name) => newestChange(join(path, name)));
  return Math.max(own.mtimeMs, ...children);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireTools();
  await build();
}
