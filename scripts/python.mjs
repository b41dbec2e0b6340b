// The tests of the Python client: builds its wheel, installs it beside the libraries that it is tested with, and
// tests it against the real server.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackages, venvSteps } from './clients.mjs';
import { root, run } from './run.mjs';

const folder = join(root, 'clients/python');
const cache = join(root, '.cache/clients/logstead');
const python = join(cache, 'bin/python');

/**
 * Resolves with the counts of its tests, and the names of those that failed. The client is skipped, and named, if the
 * libraries cannot be fetched. `report` is the path of a file for the counts.
 */
export async function testPythonClient({ binary, report }) {
  const pins = join(folder, 'requirements-test.txt');
  const name = 'logstead';
  if (!(await fetchPackages({ name, tool: 'python3', pins: [pins], steps: venvSteps(name, pins) })))
    return { code: 0, counts: { passed: 0, failed: 0, skipped: 1 } };
  const installed = await installWheel();
  if (installed !== 0) return { code: installed };

  const pytest = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junitxml=${report}`];
  const mypy = ['-m', 'mypy', '--cache-dir', join(root, '.cache/mypy')];
  const codes = await Promise.all([
    run(python, pytest, { cwd: folder, env: { LOGSTEAD: binary } }),
    run(python, mypy, { cwd: folder }),
    run(python, ['-m', 'ruff', 'check', '--no-cache', '-q'], { cwd: folder }),
    run(python, ['-m', 'ruff', 'format', '--no-cache', '--check', '-q'], { cwd: folder }),
  ]);
  const { counts, failed } = readJunit(report);
  ['mypy', 'ruff check', 'ruff format'].forEach((checker, index) => {
    const passes = codes[index + 1] === 0;
    counts[passes ? 'passed' : 'failed'] += 1;
    if (!passes) failed.set(checker, []); // it has told why
  });
  return { code: Math.max(...codes), counts, failed };
}

/** Without the network: the tool that builds it is one of the fetched packages. */
async function installWheel() {
  const wheels = join(cache, 'wheels');
  rmSync(wheels, { recursive: true, force: true });
  const pip = (...args) => run(python, ['-m', 'pip', '-q', '--disable-pip-version-check', ...args]);
  const built = await pip('wheel', '--no-deps', '--no-build-isolation', '-w', wheels, folder);
  if (built !== 0) return built;
  const where = ['--no-index', '--no-deps', '--find-links', wheels];
  return pip('install', '--force-reinstall', ...where, 'logstead');
}

/** The counts of a report as JUnit writes it. It is missing if pytest ended before it wrote one. */
function readJunit(path) {
  if (!existsSync(path)) return { counts: { passed: 0, failed: 0, skipped: 0 }, failed: new Map() };
  const text = readFileSync(path, 'utf8');
  const suite = /<testsuite .*?>/.exec(text)[0];
  const number = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const [failures, skipped] = [number('failures') + number('errors'), number('skipped')];
  const cases = text.matchAll(
    /<testcase classname="([^"]*)" name="([^"]*)"[^>]*[^/]><(failure|error)/g,
  );
  return {
    counts: { passed: number('tests') - failures - skipped, failed: failures, skipped },
    failed: new Map([...cases].map(([, file, title]) => [`${file}: ${title}`, []])),
  };
}
