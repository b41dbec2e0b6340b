// Checks the dependencies: their licences, their origins, duplicates, and known vulnerabilities. The rules are in
// deny.toml.
//
// A check whose database cannot be fetched is reported as "not known", which is neither a pass nor a failure.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index';
const NPM = 'https://registry.npmjs.org/';
/** Maximum time for fetching a database. */
const WAIT_MAX_MS = 30_000;

const deny = readFileSync(join(root, 'deny.toml'), 'utf8');
const failures = [];
const warnings = [];
const unknown = [];

/** The lines of a list in deny.toml. */
function list(name) {
  const found = new RegExp(`^${name} = \\[\\n([^\\]]*)^\\]`, 'm').exec(deny);
  if (!found) throw new Error(`deny.toml has no list ${name}`);
  return found[1].split('\n').filter((line) => line.trim() !== '');
}

const allowed = new Set(list('allow').map((line) => /"(.*)"/.exec(line)[1]));
const skipped = new Set(list('skip').map((line) => /crate = "(.*?)"/.exec(line)[1]));

/**
 * Whether an SPDX expression allows a licence that is permitted. A slash is an older way to write
 * OR.
 */
function isAllowed(expression) {
  const words = expression
    .replaceAll('/', ' OR ')
    .replaceAll(/[()]/g, ' $& ')
    .replaceAll(/ WITH /g, '+WITH+')
    .split(' ')
    .filter((word) => word !== '');
  let at = 0;
  const one = () => {
    const word = words[at++];
    if (word !== '(') return allowed.has(word?.replaceAll('+WITH+', ' WITH ') ?? '');
    const inner = any();
    if (words[at++] !== ')') throw new Error(`a parenthesis is never closed in ${expression}`);
    return inner;
  };
  const all = () => {
    let holds = one();
    for (; words[at] === 'AND'; holds = one() && holds) at++;
    return holds;
  };
  const any = () => {
    let holds = all();
    for (; words[at] === 'OR'; holds = all() || holds) at++;
    return holds;
  };
  const holds = any();
  if (at !== words.length) throw new Error(`${expression} is no expression of licences`);
  return holds;
}

function crates() {
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform'];
  const options = { cwd: root, maxBuffer: 2 ** 27 };
  const text = execFileSync('cargo', [...args, 'x86_64-unknown-linux-gnu'], options);
  const { packages, resolve } = JSON.parse(text);
  const used = new Set(resolve.nodes.map(({ id }) => id));
  return packages.filter(({ id, source }) => used.has(id) && source !== null);
}

function checkCrates() {
  const versions = new Map();
  for (const { name, version, license, source } of crates()) {
    if (!license || !isAllowed(license))
      failures.push(`${name} ${version}: the licence ${license ?? 'none'} is not allowed`);
    if (source !== CRATES_IO) failures.push(`${name} ${version}: comes from ${source}`);
    versions.set(name, [...(versions.get(name) ?? []), version]);
  }
  const extra = [...skipped].filter((crate) => {
    const [name, version] = crate.split('@');
    const found = versions.get(name) ?? [];
    return found.length < 2 || !found.includes(version);
  });
  for (const crate of extra)
    failures.push(`${crate}: not there twice any more, remove it from deny.toml`);
  for (const [name, found] of versions) {
    const left = found.filter((version) => !skipped.has(`${name}@${version}`));
    if (left.length > 1) warnings.push(`${name}: ${left.join(' and ')} are both there`);
  }
  return versions.size;
}

function checkModules() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const modules = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  );
  for (const [path, { version, license, resolved, dev }] of modules) {
    const name = path.split('node_modules/').pop();
    // Packages that are only used for building or testing are not distributed.
    if (!dev && (!license || !isAllowed(license)))
      failures.push(`${name} ${version}: the licence ${license ?? 'none'} is not allowed`);
    if (resolved && !resolved.startsWith(NPM))
      failures.push(`${name} ${version}: comes from ${resolved}`);
  }
  return modules.length;
}

/**
 * Runs cargo-deny if it is installed: the same rules and more, and known vulnerabilities of crates.
 */
function askCargoDeny() {
  const deny = (...args) =>
    spawnSync('cargo', ['deny', ...args], { cwd: root, encoding: 'utf8', timeout: WAIT_MAX_MS });
  if (deny('--version').status !== 0) {
    unknown.push('advisories about crates: `cargo install --locked cargo-deny` first');
    return;
  }
  const rules = deny('--offline', 'check', 'bans', 'licenses', 'sources');
  if (rules.status !== 0) failures.push(`cargo deny:\n${rules.stderr}`);
  const advisories = deny('check', 'advisories');
  const isFetched = /advisories (ok|FAILED)/.test(advisories.stdout + advisories.stderr);
  if (!isFetched) unknown.push(`advisories about crates: ${lastLine(advisories.stderr)}`);
  else if (advisories.status !== 0) failures.push(`cargo deny:\n${advisories.stderr}`);
}

function askNpm() {
  const options = { cwd: root, encoding: 'utf8', timeout: WAIT_MAX_MS, maxBuffer: 2 ** 26 };
  const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], options);
  let told;
  try {
    told = JSON.parse(stdout);
  } catch {
    told = {};
  }
  if (!told.metadata?.vulnerabilities) {
    unknown.push(
      `advisories about npm packages: ${told.message ?? (lastLine(stderr) || 'no answer')}`,
    );
    return;
  }
  for (const { name, severity, via } of Object.values(told.vulnerabilities)) {
    const why = via.map((one) => one.title ?? one).join('; ');
    failures.push(`${name}: ${severity}: ${why}`);
  }
}

function lastLine(text) {
  return text?.trim().split('\n').pop()?.trim() || 'no answer in time';
}

const counted = `${checkCrates()} crates, ${checkModules()} npm packages`;
askCargoDeny();
askNpm();
for (const warning of warnings) console.log(`warning: ${warning}`);
for (const what of unknown) console.log(`not known: ${what}`);
for (const failure of failures) console.error(`not allowed: ${failure}`);
if (failures.length > 0) process.exit(1);
console.log(`${counted}: licences and sources are allowed`);
if (unknown.length === 0) console.log('nothing is known against them');
