// The tests of the TypeScript client: compiles it as its users would, and tests it against the real server.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installDependencies } from './build.mjs';
import { root, run } from './run.mjs';

const folder = join(root, 'clients/typescript');
const built = join(root, '.cache/clients/typescript');

/** Resolves with the counts of its tests, and the names of those that failed. */
export async function testTypeScriptClient({ binary }) {
  await installDependencies();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failed = new Map();
  // The examples and tests import the client by its name.
  mkdirSync(built, { recursive: true });
  const manifest = { name: 'logstead-client', type: 'module', exports: './src/index.js' };
  writeFileSync(join(built, 'package.json'), JSON.stringify(manifest));
  const steps = {
    types: ['node', ['web/api.mjs', 'clients/typescript/src/api.ts']],
    tsc: ['npx', ['tsc', '-p', join(folder, 'tests')]],
    prettier: [
      'npx',
      ['prettier', '--check', folder, '--ignore-path', join(folder, '.prettierignore')],
    ],
  };
  for (const [name, [program, args]] of Object.entries(steps)) {
    const passes = (await run(program, args)) === 0;
    counts[passes ? 'passed' : 'failed'] += 1;
    if (!passes) failed.set(name, []); // it has told why
  }
  if (failed.has('types') || failed.has('tsc')) return { code: 1, counts, failed };
  const code = await run('node', ['--test', '--test-reporter=tap', join(built, 'tests')], {
    env: { LOGSTEAD: binary },
    onLine: (line) => {
      const [, kind, number] = /^# (pass|fail|skipped) (\d+)$/.exec(line) ?? [];
      const names = { pass: 'passed', fail: 'failed', skipped: 'skipped' };
      if (kind) counts[names[kind]] += Number(number);
      const [, title] = /^ *not ok \d+ - (.*)$/.exec(line) ?? [];
      if (title) failed.set(title, []);
    },
  });
  return { code: Math.max(code, failed.size > 0 ? 1 : 0), counts, failed };
}
