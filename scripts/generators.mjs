// Proof that programs get a client of the API from eight generators as they are: generates from web/openapi.json,
// compiles, and with four of the clients asks a server everything that scripts/generators/calls.txt lists.
//   node scripts/generators.mjs [--if-possible] [NAME…]
// With `--if-possible`, a machine that cannot fetch these generators is told about, and is no failure.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from './build.mjs';
import { fetchPackages, venvSteps } from './clients.mjs';
import { root, run } from './run.mjs';

const cache = join(root, '.cache/generators');
const fetched = join(root, '.cache/clients');
const description = join(root, 'web/openapi.json');
const calls = join(root, 'scripts/generators');
const pip = join(fetched, 'generators/bin');

const JAR_VERSION = '7.25.0';
const jar = join(fetched, 'openapi-generator', `openapi-generator-cli-${JAR_VERSION}.jar`);
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const OGEN = 'github.com/ogen-go/ogen/cmd/ogen@v1.24.0';
const GO_MOD = 'module example.com/generated\n\ngo 1.24\n';

/** openapi-generator for a language. */
function openapiGenerator(language, properties = []) {
  const options = properties.length > 0 ? ['--additional-properties', properties.join(',')] : [];
  return [
    'java',
    ['-jar', jar, 'generate', '-g', language, '-i', description, '-o', '.', ...options],
  ];
}

const strict = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--module',
  'esnext',
];
const tsc = ['--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable'];

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, skipLibCheck: true, types: ['node'], rootDir: '.', outDir: 'out' },
    ...{ target: 'es2022', module: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'] },
  },
};

/**
 * Each generator: the files that it needs, its commands, those that compile what it made, and those
 * that make the calls.
 */
const generators = {
  'oapi-codegen': {
    files: { 'go.mod': GO_MOD },
    generate: [
      [
        'go',
        [
          'run',
          OAPI_CODEGEN,
          '-generate',
          'types,client',
          '-package',
          'generated',
          '-o',
          'api.go',
          description,
        ],
      ],
    ],
    compile: [
      ['go', ['mod', 'tidy']],
      ['go', ['vet', './...']],
    ],
    calls: { file: 'calls.go', as: 'calls/main.go', command: ['go', ['run', './calls']] },
  },
  ogen: {
    // Its server cannot send streams of events, and some texts have two types.
    files: {
      'go.mod': GO_MOD,
      'ogen.yml':
        'generator:\n  ignore_not_implemented: ["all"]\n  features: { disable_all: true, enable: ["paths/client"] }\n',
    },
    generate: [
      [
        'go',
        ['run', OGEN, '--target', 'api', '--package', 'api', '--config', 'ogen.yml', description],
      ],
    ],
    compile: [
      ['go', ['mod', 'tidy']],
      ['go', ['vet', './...']],
    ],
  },
  'openapi-generator java': {
    generate: [openapiGenerator('java')],
    fetch: [['mvn', ['-q', '-B', 'dependency:copy-dependencies']]],
    compile: [['mvn', ['-q', '-B', '-Dmaven.test.skip=true', 'compile']]],
    calls: {
      file: 'Calls.java',
      as: 'Calls.java',
      command: ['java', ['-cp', 'target/classes:target/dependency/*', 'Calls.java']],
    },
  },
  'openapi-generator go': {
    generate: [openapiGenerator('go', ['enumClassPrefix=true'])],
    // Its tests need a module that exists only after it is published.
    compile: [
      ['rm', ['-r', 'test']],
      ['go', ['mod', 'tidy']],
      ['go', ['vet', './...']],
    ],
  },
  'openapi-generator typescript-fetch': {
    generate: [openapiGenerator('typescript-fetch')],
    compile: [['npx', ['tsc', ...strict, ...tsc, 'index.ts']]],
  },
  'openapi-generator python': {
    generate: [openapiGenerator('python')],
    compile: [
      [join(pip, 'python'), ['-m', 'compileall', '-q', 'openapi_client']],
      [join(pip, 'python'), ['-c', 'from openapi_client import *']],
    ],
    calls: { file: 'calls.py', as: 'calls.py', command: [join(pip, 'python'), ['calls.py']] },
  },
  'hey-api': {
    files: {
      'package.json': '{"type":"module"}',
      'tsconfig.json': JSON.stringify(TSCONFIG),
      // Node.js wants imports with the names of files.
      'openapi-ts.config.mjs': `export default ${JSON.stringify({
        input: description,
        output: { path: 'client', importFileExtension: '.js' },
        logs: { file: false },
      })};`,
    },
    generate: [['npx', ['openapi-ts']]],
    compile: [['npx', ['tsc', '--noEmit']]],
    calls: {
      file: 'calls.ts',
      as: 'calls.ts',
      command: ['sh', ['-c', 'npx tsc && node out/calls.js']],
    },
  },
  'openapi-python-client': {
    generate: [
      [
        join(pip, 'openapi-python-client'),
        ['generate', '--path', description, '--output-path', 'client'],
      ],
    ],
    compile: [[join(pip, 'mypy'), ['--cache-dir', '.mypy', 'client']]],
  },
};

/** Whether the generators with these names could be fetched. */
async function fetchGenerators(names) {
  const some = (part) => names.some((name) => name.includes(part));
  // What checks the clients for Python is fetched with the generators that are written in it.
  const python = !some('python') || (await fetchOfPython());
  return python && (!some('openapi-generator') || (await fetchOfJava()));
}

async function fetchOfPython() {
  const requirements = join(calls, 'requirements.txt');
  const steps = venvSteps('generators', requirements);
  return fetchPackages({ name: 'generators', tool: 'python3', pins: [requirements], steps });
}

async function fetchOfJava() {
  const artifact = `org.openapitools:openapi-generator-cli:${JAR_VERSION}`;
  const copy = [
    '-q',
    '-B',
    'dependency:copy',
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${join(jar, '..')}`,
  ];
  return fetchPackages({
    name: 'openapi-generator',
    tool: 'mvn',
    pins: [join(root, 'scripts/generators.mjs')],
    steps: [['mvn', copy, root]],
  });
}

/** Runs commands one after the other; resolves with whether all of them succeed. */
async function all(commands, folder, log) {
  for (const [index, [program, args]] of commands.entries()) {
    const code = await run(program, args, { cwd: folder, log: `${log}-${index}.log` });
    if (code !== 0) {
      console.log(`${program} ${args.join(' ')}: exit ${code}`);
      console.log(readFileSync(`${log}-${index}.log`, 'utf8').split('\n').slice(-30).join('\n'));
      return false;
    }
  }
  return true;
}

function cannotFetch(names) {
  console.error(`not proved, as what they need cannot be fetched here: ${names.join(', ')}`);
  process.exit(ifPossible ? 0 : 1);
}

async function prove(name, binary) {
  const { files = {}, generate, fetch = [], compile, calls: asked } = generators[name];
  const folder = join(cache, name.replaceAll(' ', '-'));
  const row = { generates: false, compiles: false, calls: '' };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  row.generates = await all(generate, folder, join(folder, 'generate'));
  if (row.generates && !(await all(fetch, folder, join(folder, 'fetch'))))
    return cannotFetch([name]);
  row.compiles = row.generates && (await all(compile, folder, join(folder, 'compile')));
  if (asked && row.compiles) row.calls = await ask(asked, folder, binary);
  return row;
}

/** The calls that a client makes of a server of its own: `36 of 36`. */
async function ask({ file, as, command }, folder, binary) {
  mkdirSync(join(folder, as, '..'), { recursive: true });
  copyFileSync(join(calls, file), join(folder, as));
  const wanted = readFileSync(join(calls, 'calls.txt'), 'utf8').trim().split('\n');
  const good = new Set();
  const server = await startServer(binary);
  try {
    const [program, args] = command;
    const onLine = (line) => {
      const [, name] = /^ok (\S+)$/.exec(line) ?? [];
      if (name) good.add(name);
    };
    await run(program, args, { cwd: folder, env: server.env, onLine });
  } finally {
    await server.end();
  }
  const missing = wanted.filter((name) => !good.has(name));
  if (missing.length > 0) console.log(`not made: ${missing.join(', ')}`);
  return `${wanted.length - missing.length} of ${wanted.length}`;
}

async function startServer(binary) {
  const folder = mkdtempSync(join(tmpdir(), 'logstead-generators-'));
  const token = 'generators-administrator-token';
  copyFileSync(join(calls, 'router.toml'), join(folder, 'router.toml'));
  const args = ['serve', '--data', join(folder, 'data'), '--router', join(folder, 'router.toml')];
  const child = spawn(binary, [...args, '--set', 'web.listen=127.0.0.1:0'], {
    env: { PATH: process.env.PATH, LOGSTEAD_CONFIG: '/dev/null', LOGSTEAD_ADMIN_TOKEN: token },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const end = async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^ready: console (\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return { env: { LOGSTEAD_SERVER: url, LOGSTEAD_TOKEN: token }, end };
  }
  throw new Error('the server ended before it was ready');
}

const args = process.argv.slice(2);
const ifPossible = args[0] === '--if-possible';
const asked = args.slice(ifPossible ? 1 : 0);
const names = asked.length > 0 ? asked : Object.keys(generators);
const unknown = names.filter((name) => !(name in generators));
if (unknown.length > 0) {
  console.error(
    `no such generator: ${unknown.join(', ')}. There are: ${Object.keys(generators).join(', ')}`,
  );
  process.exit(2);
}
if (!(await fetchGenerators(names))) cannotFetch(names);
const binary = await build('quick');
const rows = {};
for (const name of names) {
  console.log(`── ${name}`);
  rows[name] = await prove(name, binary);
}
console.table(rows);
const isGood = ({ generates, compiles, calls: made }) => {
  const [number, of] = made.split(' of ');
  return generates && compiles && number === (of ?? number);
};
process.exitCode = Object.values(rows).every(isGood) ? 0 : 1;
