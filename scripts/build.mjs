// Builds the binary with the console embedded: `npm run build` makes the release, `npm start` the one that builds
// quickly. Each step is skipped if its result is up to date. The binary is not built if `LOGSTEAD` names one.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run, runOrExit } from './run.mjs';
import { answers, requireTools } from './tools.mjs';

const given = process.env.LOGSTEAD;
/** The page of the console. */
const page = join(root, 'web/dist/index.html');

/** Builds the binary in a profile of cargo, and resolves with its path. */
export async function build(profile) {
  const locked = ['--locked', '--package', 'logstead'];
  const env = { CARGO_TARGET_DIR: join(root, 'target') };
  if (given) {
    await buildConsole();
    return given;
  }
  // Only the last crate embeds the console. In a fresh checkout it is minutes away, so the console is built meanwhile;
  // a failure of the compiler is told by the next step.
  const compile = ['build', '--profile', profile, ...locked];
  const first = existsSync(page) ? ['fetch', '--locked'] : [...compile, '--lib'];
  await Promise.all([buildConsole(), run('cargo', first, { env })]);
  await runOrExit('cargo', compile, { env });
  return binaryOf(profile);
}

export function binaryOf(profile) {
  return join(root, 'target', profile === 'dev' ? 'debug' : profile, 'logstead');
}

/**
 * Moves the debug information of a binary into a file next to it, where debuggers and backtraces
 * find it.
 */
async function splitDebugInfo(binary) {
  if (!answers('objcopy'))
    return console.log('objcopy is missing: the debug information stays in the binary');
  const kept = `${binary}.debug`;
  await runOrExit('objcopy', ['--only-keep-debug', binary, kept]);
  await runOrExit('objcopy', ['--strip-debug', `--add-gnu-debuglink=${kept}`, binary]);
  const size = (path) => `${Math.round(statSync(path).size / 1e6)} MB`;
  console.log(`${binary}: ${size(binary)}, debug information beside it: ${size(kept)}`);
}

export async function buildConsole() {
  await installDependencies();
  if (consoleIsCurrent()) return;
  await runOrExit('npm', ['run', 'build', '--workspace', 'web']);
}

export async function installDependencies() {
  if (dependenciesAreCurrent()) return;
  // Warnings about tools that want a newer Node.js than they need tell a newcomer nothing.
  await runOrExit('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error']);
}

/**
 * Whether node_modules contains the versions in package-lock.json (npm keeps a list of those that
 * it installed).
 */
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
  if (!existsSync(page)) return false;
  const inputs = [
    'web/api.mjs',
    'web/openapi.json',
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

/** The removal of a file shows as a change of its folder. */
function newestChange(path) {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  const children = readdirSync(path).map((name) => newestChange(join(path, name)));
  return Math.max(own.mtimeMs, ...children);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireTools();
  const binary = await build('release');
  if (!given) await splitDebugInfo(binary);
}
