// Sends requests that are made from the description of the API, good ones and bad ones, to a real server, with
// schemathesis: an answer with 5xx, or one that the description does not allow, fails. Good requests that are refused and
// bad ones that are taken are listed: their reasons must be ones that a description cannot express, such as the name of
// a time zone, a password that is easy to guess, or a revision that is no longer live.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root, run } from './run.mjs';

const VERSION = '4.32.5';
const TOKEN = 'schemathesis';
/** The examples for each operation and phase. */
const EXAMPLES = 25;
/** They never end. */
const STREAMS = ['tail_messages', 'stream_changes'];
/** What must never happen; the other checks only give a list. */
const FATAL = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
const LISTED = ['negative_data_rejection', 'positive_data_acceptance'];

const ROUTER = `version = 1
[[sources]]
id = "http"
kind = "http"
[[logspaces]]
id = "main"
[[routes]]
id = "default"
to = ["main"]
`;

/** Bodies that are not JSON are sent as the text that is made for them. */
const HOOKS = `import json
import schemathesis

@schemathesis.serializer("application/x-ndjson", "application/toml")
def as_text(ctx, value):
    return value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
`;

const folder = mkdtempSync(join(tmpdir(), 'logstead-schemathesis-'));
const venv = join(root, '.cache/schemathesis');
const tool = join(venv, 'bin/schemathesis');

async function install() {
  if (existsSync(tool)) return;
  const steps = [
    ['python3', ['-m', 'venv', venv]],
    [join(venv, 'bin/pip'), ['-q', 'install', `schemathesis==${VERSION}`]],
  ];
  for (const [command, args] of steps) {
    const code = await run(command, args);
    if (code !== 0) process.exit(code);
  }
}

/** Resolves with the process and its address once it answers. */
async function serve(binary) {
  const router = join(folder, 'router.toml');
  writeFileSync(router, ROUTER);
  const args = ['serve', '--data', join(folder, 'data'), '--router', router];
  const server = spawn(binary, [...args, '--set', 'web.listen=127.0.0.1:0'], {
    env: { ...process.env, LOGSTEAD_ADMIN_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /^ready: console (\S+)/.exec(line)?.[1];
    if (url) return { server, url };
  }
  throw new Error(`${binary} ended before it was ready`);
}

function check(url, checks, report) {
  const args = ['run', `${url}/api/v1/openapi.json`, '-H', `Authorization: Bearer ${TOKEN}`];
  const left = STREAMS.flatMap((id) => ['--exclude-operation-id', id]);
  const limits = ['--request-timeout', '30', '-n', String(EXAMPLES), '--seed', '1'];
  args.push(...left, ...limits, '--checks', checks.join(','), '--no-color');
  writeFileSync(join(folder, 'hooks.py'), HOOKS);
  const env = { SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: folder };
  return run(tool, [...args, '--report', 'junit', '--report-junit-path', report], {
    cwd: folder,
    env,
  });
}

await install();
const { server, url } = await serve(process.env.LOGSTEAD ?? join(root, 'target/debug/logstead'));
const lines = { method: 'POST', headers: { Authorization: `Bearer ${TOKEN}` }, body: 'one\ntwo\n' };
await globalThis.fetch(`${url}/api/v1/ingest?format=lines`, lines);
const code = await check(url, FATAL, join(folder, 'fatal.xml'));
console.log('\n── a list, for people ──');
await check(url, LISTED, join(folder, 'listed.xml'));
const details = readFileSync(join(folder, 'listed.xml'), 'utf8').match(/"detail":"[^"]*"/g) ?? [];
console.log(`${details.length} refusals to look at`);
server.kill();
await once(server, 'exit');
rmSync(folder, { recursive: true });
process.exitCode = code;
