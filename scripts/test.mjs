// All tests: Rust, the console's units, and the real binary in a real browser.
// `--only rust|web|e2e` runs one of them.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole, installDependencies } from './build.mjs';
import { browser, preparePackages, prepareSenders } from './packages.mjs';
import { root, run } from './run.mjs';
import { requireTools } from './tools.mjs';

const suites = { rust: testRust, web: testWeb, e2e: testEndToEnd };
const reports = join(root, '.cache/reports');

const names = chosenSuites(process.argv.slice(2));
requireTools();
mkdirSync(reports, { recursive: true });

const outcomes = [];
for (const name of names) {
  console.log(`\n── ${name} ${'─'.repeat(60)}`);
  outcomes.push({ name, ...(await suites[name]()) });
}
summarize();

function chosenSuites(args) {
  if (args.length === 0) return Object.keys(suites);
  if (args.length === 2 && args[0] === '--only' && args[1] in suites) return [args[1]];
  console.error(`usage: npm test [-- --only ${Object.keys(suites).join('|')}]`);
  process.exit(2);
}

async function testRust() {
  await prepareSenders();
  await buildConsole(); // the binary embeds it
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const code = await run('cargo', ['test', '--workspace', '--locked', '--no-fail-fast'], {
    onLine: (line) => {
      const result = /^test result: .* (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
      counts.passed += Number(result?.[1] ?? 0);
      counts.failed += Number(result?.[2] ?? 0);
      counts.skipped += Number(result?.[3] ?? 0);
    },
  });
  return { code, counts };
}

async function testWeb() {
  await installDependencies();
  const report = freshReport('web.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await run('npm', ['test', '--workspace', 'web', '--', ...reporters]);
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = readReport(report);
  const skipped = (numPendingTests ?? 0) + (numTodoTests ?? 0);
  return { code, counts: { passed: numPassedTests, failed: numFailedTests, skipped } };
}

async function testEndToEnd() {
  if (!(await preparePackages())) return { code: 3 };
  const built = await run('npm', ['run', '--silent', 'build']);
  if (built !== 0) return { code: built };
  const report = freshReport('e2e.json');
  const code = await run('npm', ['test', '--workspace', 'e2e', '--', '--reporter=list,json'], {
    env: { CHROMIUM: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
  });
  const { expected = 0, flaky = 0, unexpected, skipped } = readReport(report).stats ?? {};
  return { code, counts: { passed: expected + flaky, failed: unexpected, skipped } };
}

function freshReport(name) {
  const path = join(reports, name);
  rmSync(path, { force: true });
  return path;
}

/** Empty when the runner ended before it wrote one. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/** The last line has the sum of what the runners counted; a runner that did not get as far makes it a sentence. */
function summarize() {
  const unfinished = outcomes.filter(({ code, counts }) => code !== 0 && !counts?.failed);
  console.log();
  for (const { name, code } of unfinished) console.log(`${name} did not finish (exit ${code})`);
  const sum = (key) => outcomes.reduce((total, { counts }) => total + (counts?.[key] ?? 0), 0);
  if (unfinished.length === 0)
    console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  process.exitCode = outcomes.every(({ code }) => code === 0) ? 0 : 1;
}
