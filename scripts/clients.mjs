// The real clients that tests use for sending: fetches their libraries with the package managers of their languages,
// and runs all of them. See e2e/clients/README.md.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { prepareSenders } from './packages.mjs';
import { root, run } from './run.mjs';
import { answers, requireTools } from './tools.mjs';

const folder = join(root, 'e2e/clients');
const cache = join(root, '.cache/clients');

/**
 * The packages to fetch for each language. `steps` are commands; `pins` are the files that pin the
 * versions.
 */
const runtimes = [
  venv('python', 'requirements.txt'),
  venv('python-elastic8', 'requirements-elastic8.txt'),
  {
    name: 'node',
    always: true,
    tool: 'npm',
    pins: ['node/package-lock.json'],
    steps: [['npm', ['ci', '--no-fund', '--no-audit', '--ignore-scripts'], join(folder, 'node')]],
  },
  {
    name: 'java',
    tool: 'mvn',
    pins: ['java/pom.xml', 'java/Otel.java', 'java/Appender.java'],
    steps: [
      [
        'mvn',
        ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${join(cache, 'java')}`],
        join(folder, 'java'),
      ],
      [
        'javac',
        [
          ...['-d', join(cache, 'java/classes'), '-cp', `${join(cache, 'java')}/*`],
          ...['Otel.java', 'Appender.java'],
        ],
        join(folder, 'java'),
      ],
    ],
  },
  {
    name: 'go',
    tool: 'go',
    pins: ['go/go.sum', ...['otel', 'elastic', 'loki', 'gelf'].map((name) => `go/${name}/main.go`)],
    steps: [['go', ['build', '-o', `${join(cache, 'go')}/`, './...'], join(folder, 'go')]],
  },
];

function venv(name, requirements) {
  const pins = `python/${requirements}`;
  const steps = venvSteps(name, join(folder, pins));
  return { name, always: true, tool: 'python3', pins: [pins], steps };
}

/** The commands that make an environment with the packages of a file of requirements. */
export function venvSteps(name, requirements) {
  // Compiling everything takes longer than what the tests use of it.
  const pip = ['install', '-q', '--no-compile', '--disable-pip-version-check', '-r', requirements];
  return [
    ['python3', ['-m', 'venv', join(cache, name)], root],
    [join(cache, name, 'bin/pip'), pip, root],
  ];
}

/** Clients whose libraries are missing after this are skipped, and named. */
export async function fetchClients({ all }) {
  for (const runtime of runtimes.filter(({ always }) => all || always)) {
    const pins = runtime.pins.map((pin) => join(folder, pin));
    await fetchPackages({ ...runtime, pins });
  }
}

/** Fetches packages that are missing or have changed; resolves with whether they are there. */
export async function fetchPackages({ name, tool, pins, steps }) {
  const mark = join(cache, name, 'fetched');
  const wanted = pins.map((pin) => readFileSync(pin, 'utf8')).join('');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return true;
  rmSync(join(cache, name), { recursive: true, force: true });
  mkdirSync(join(cache, name), { recursive: true });
  let code = answers(tool) ? 0 : 127;
  for (const [program, args, cwd] of steps)
    if (code === 0) code = await run(program, args, { cwd });
  if (code === 0) writeFileSync(mark, wanted);
  else console.error(`The clients of ${name} are skipped: ${tool} cannot fetch them here.`);
  return code === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireTools();
  await prepareSenders();
  await fetchClients({ all: true });
  const binary = await build('quick');
  const args = ['playwright', 'test', '--config', 'clients/clients.config.ts'];
  process.exitCode = await run('npx', [...args, ...process.argv.slice(2)], {
    cwd: join(root, 'e2e'),
    env: { LOGSTEAD: binary, LOGSTEAD_TEST_CLIENTS: 'all' },
  });
}
