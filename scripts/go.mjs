// The tests of the Go client: generates what is generated of it, and tests it against the real server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackages } from './clients.mjs';
import { root, run } from './run.mjs';

const folder = join(root, 'clients/go');

/** Fetches the generator and what the client is built with; resolves with whether they are there. */
function fetchModules() {
  const pins = ['api/generate.go', 'go.sum'].map((name) => join(folder, name));
  const [, generator] = /go:generate go run (\S+)/.exec(readFileSync(pins[0], 'utf8'));
  const steps = [
    ['go', ['mod', 'download'], folder],
    ['go', ['run', generator, '-version'], folder],
  ];
  return fetchPackages({ name: 'go-client', tool: 'go', pins, steps });
}

/**
 * Resolves with the counts of its tests, and the names of those that failed. The client is skipped, and named, without Go
 * or its modules.
 */
export async function testGoClient({ binary }) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failed = new Map();
  if (!(await fetchModules())) return { code: 0, counts: { ...counts, skipped: 1 } };
  const check = async (name, code) => {
    counts[code === 0 ? 'passed' : 'failed'] += 1;
    if (code !== 0) failed.set(name, []); // it has told why
    return code;
  };
  const go = (...args) => run('go', args, { cwd: folder });
  const codes = [await check('generate', await go('generate', './...'))];
  if (codes[0] !== 0) return { code: 1, counts, failed };
  codes.push(await check('vet', await go('vet', './...')));
  const onLine = (line) => {
    const [, result, name] = /^--- (PASS|FAIL|SKIP): (\S+)/.exec(line) ?? [];
    const kinds = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' };
    if (result) counts[kinds[result]] += 1;
    if (result === 'FAIL') failed.set(name, []);
  };
  const env = { LOGSTEAD: binary };
  codes.push(await run('go', ['test', '-count=1', '-v', '.'], { cwd: folder, env, onLine }));
  return { code: Math.max(...codes), counts, failed };
}
