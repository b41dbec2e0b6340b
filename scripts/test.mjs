// All tests: Rust, the console's units, the clients for Python, TypeScript and Go, and the real binary in a real browser.
// `--only rust|web|python|typescript|go|e2e` runs one of them.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compare, tell } from './answers.mjs';
import { binaryOf, build, buildConsole, installDependencies } from './build.mjs';
import { fetchClients } from './clients.mjs';
import { testGoClient } from './go.mjs';
import { preparePackages, prepareSenders } from './packages.mjs';
import { reader, told } from './libtest.mjs';
import { testPythonClient } from './python.mjs';
import { root, run } from './run.mjs';
import { requireTools } from './tools.mjs';
import { testTypeScriptClient } from './typescript.mjs';

const suites = {
  rust: testRust,
  web: testWeb,
  python: testPython,
  typescript: async () => testTypeScriptClient({ binary: await testedBinary() }),
  go: async () => testGoClient({ binary: await testedBinary() }),
  e2e: testEndToEnd,
};
const reports = join(root, '.cache/reports');
/** The answers of the API that tests see, of which each is compared with the description at the end. */
const answers = join(reports, 'answers');

/** A suite counts as hanging if no test ends for this long. */
const SILENCE = 15 * 60_000;
/** Maximum number of failures that are run again; more than this cannot be bad luck. */
const AGAIN = 5;

const names = chosenSuites(process.argv.slice(2));
requireTools();
mkdirSync(reports, { recursive: true });

rmSync(answers, { recursive: true, force: true });
mkdirSync(answers);
process.env.LOGSTEAD_RECORD_ANSWERS = answers;

const outcomes = [];
// The console's units run beside the Rust tests, many of which wait for a clock or for each other.
const units = join(reports, 'web.log');
const beside = ['rust', 'web'].every((name) => names.includes(name));
if (beside) await installDependencies();
const web = beside ? testWeb({ log: units }) : undefined;
for (const name of names) {
  console.log(`\n── ${name} ${'─'.repeat(60)}`);
  const isBeside = beside && name === 'web';
  outcomes.push({ name, ...(await (isBeside ? web : suites[name]())) });
  if (isBeside) process.stdout.write(readFileSync(units));
}
await checkAnswers();
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
  const cargo = ['test', '--workspace', '--locked'];
  const built = await run('cargo', [...cargo, '--no-run']);
  if (built !== 0) return { code: built };

  const first = reader();
  const code = await run('cargo', [...cargo, '--no-fail-fast'], {
    onLine: first.onLine,
    silence: SILENCE,
  });
  if (first.slow.size > 0) console.log(`has not ended: ${[...first.slow].join(', ')}`);
  if (code === 0 || first.failed.size === 0 || first.failed.size > AGAIN) return { code, ...first };
  return again(cargo, first);
}

/**
 * Runs failed tests a second time, alone. A test that then passes is reported as flaky, which is a
 * defect, but not one of this change.
 */
async function again(cargo, first) {
  const names = [...first.failed.keys()];
  console.log(`\n── again: ${names.join(', ')}`);
  const second = reader();
  const args = [...cargo, '--no-fail-fast', '--', '--exact', ...names];
  const code = await run('cargo', args, { onLine: second.onLine, silence: SILENCE });
  const settled = names.filter((name) => !second.failed.has(name));
  const counts = {
    ...first.counts,
    passed: first.counts.passed + settled.length,
    failed: first.counts.failed - settled.length,
  };
  return { code, counts, failed: second.failed, flaky: settled };
}

async function testWeb(options) {
  await installDependencies();
  const report = freshReport('web.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const tests = ['npm', 'test', '--workspace', 'web', '--', ...reporters];
  // Rust's tests wait for what happens within a time, so they go first where both run.
  const code = await run('nice', ['-n', '10', ...tests], options);
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = readReport(report);
  const skipped = (numPendingTests ?? 0) + (numTodoTests ?? 0);
  return { code, counts: { passed: numPassedTests, failed: numFailedTests, skipped } };
}

async function testPython() {
  return testPythonClient({ binary: await testedBinary(), report: freshReport('python.xml') });
}

/** The Rust tests have built a binary with additional checks; without them, the one that builds quickly is used. */
async function testedBinary() {
  const hasOne = names.includes('rust') && !process.env.LOGSTEAD;
  return hasOne ? binaryOf('dev') : build('quick');
}

async function testEndToEnd() {
  if (!(await preparePackages())) return { code: 3 };
  await fetchClients({ all: false });
  const binary = await testedBinary();
  const report = freshReport('e2e.json');
  const code = await run('npm', ['test', '--workspace', 'e2e', '--', '--reporter=list,json'], {
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report, LOGSTEAD: binary },
  });
  const { stats, suites } = readReport(report);
  const { expected = 0, flaky = 0, unexpected, skipped } = stats ?? {};
  const specs = everySpec(suites);
  const titles = (status) =>
    specs.filter(({ tests }) => tests.some((test) => test.status === status)).map(specTitle);
  return {
    code,
    counts: { passed: expected + flaky, failed: unexpected, skipped },
    failed: new Map(titles('unexpected').map((title) => [title, []])), // its reporter has told why
    flaky: titles('flaky'),
  };
}

/** Only Rust's tests send every request, so only with them each operation must have been seen. */
async function checkAnswers() {
  if (!['rust', 'e2e'].some((name) => names.includes(name))) return;
  console.log(`\n── answers ${'─'.repeat(57)}`);
  const found = await compare([answers]);
  const unseen = names.includes('rust') ? found.unseen : [];
  const good = tell({ ...found, unseen });
  const counts = { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 };
  outcomes.push({ name: 'answers', code: good ? 0 : 1, counts });
}

function everySpec(suites = []) {
  return suites.flatMap(({ suites: inner, specs = [] }) => [...specs, ...everySpec(inner)]);
}

function specTitle({ file, title }) {
  return `${file}: ${title}`;
}

function freshReport(name) {
  const path = join(reports, name);
  rmSync(path, { force: true });
  return path;
}

/** The report is empty if the runner ended before it wrote one. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * What failed, by name, after all else. The last line has the sum of what the runners counted; a runner that did not
 * get as far makes it a sentence.
 */
function summarize() {
  console.log();
  for (const { name, failed, flaky } of outcomes) {
    for (const title of flaky ?? []) console.log(`flaky, passed when run again: ${name}: ${title}`);
    const { shown, left } = told(failed ?? new Map());
    for (const { name: title, lines } of shown) {
      console.log(`FAILED: ${name}: ${title}`);
      for (const line of lines) console.log(`    ${line}`);
    }
    if (left > 0) console.log(`FAILED: ${name}: ${left} more`);
  }
  const unfinished = outcomes.filter(({ code, counts }) => code !== 0 && !counts?.failed);
  for (const { name, code } of unfinished) console.log(`${name} did not finish (exit ${code})`);
  const sum = (key) => outcomes.reduce((total, { counts }) => total + (counts?.[key] ?? 0), 0);
  if (unfinished.length === 0)
    console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  process.exitCode = outcomes.every(({ code }) => code === 0) ? 0 : 1;
}
