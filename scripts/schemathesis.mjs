// Sends requests that are made from the description of the API, good ones and bad ones, to a real server, with
// schemathesis. This fails if an answer has 5xx or is not one that the description allows, and if a good request is
// refused or a bad one taken for a reason that is not in `EXPLAINED`: what a description of the API cannot express.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root, run } from './run.mjs';

const VERSION = '4.32.5';
const TOKEN = 'schemathesis';
/** The examples for each operation and phase. */
const EXAMPLES = 25;
/** Fewer mean that something else went wrong. */
const REQUESTS_MIN = 5000;
/** They never end. */
const STREAMS = ['tail_messages', 'stream_changes'];
/** What must never happen. */
const FATAL = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** A bad request that was taken, and a good one that was refused: what must be explained. */
const TAKEN = 'negative_data_rejection';
const REFUSED = 'positive_data_acceptance';

/**
 * What a description cannot express: the check; the operation, the `type` of the problem and its
 * `path`, whatever is left out being any; and the reason.
 */
const EXPLAINED = [
  {
    check: TAKEN,
    operation: /^POST \/router\/validate$/,
    status: 200,
    reason: 'to say what is wrong with a document is what the operation is for',
  },
  {
    check: TAKEN,
    operation: /^PUT \/lookups\//,
    status: 204,
    reason: 'a table of two columns is text, and some JSON is such a text',
  },
  {
    check: TAKEN,
    type: 'stale-revision',
    reason: 'a bad If-Match is refused, with the status of a condition that does not hold',
  },
  {
    check: TAKEN,
    operation: /^GET \/export\?(.*&)?limit=9223372036854775808(&|$)/,
    status: 200,
    reason: 'the format int64 ends at 2^63 - 1, and the server takes a few more',
  },
  { check: REFUSED, type: 'unusable-cursor', reason: 'only the server makes cursors' },
  { check: REFUSED, type: 'stale-revision', reason: 'another revision is live' },
  {
    check: REFUSED,
    type: 'invalid-header',
    path: /^If-Match$/,
    reason: 'schemathesis sends an empty header as a good one, whatever its pattern',
  },
  {
    check: REFUSED,
    type: 'key-reused',
    reason: 'a key belongs to the first body that was sent with it',
  },
  {
    check: REFUSED,
    operation: /^POST \/ingest\b/,
    type: 'unsupported-media-type',
    reason: 'a header with a list of encodings has no enumeration',
  },
  {
    check: REFUSED,
    type: 'invalid-document',
    reason: 'the values of a router document have grammars of their own, and depend on each other',
  },
  {
    check: REFUSED,
    type: /^(query-syntax|unsuitable-query)$/,
    reason: 'a query has a grammar of its own',
  },
  {
    check: REFUSED,
    operation: /^POST \/query$/,
    type: 'invalid-value',
    path: /^edits\[\d+\]$/,
    reason: 'an edit depends on the query, and has values of the query language',
  },
  {
    check: REFUSED,
    type: 'invalid-value',
    path: /^timezone$/,
    reason: 'names of time zones are in a database',
  },
  {
    check: REFUSED,
    type: 'invalid-value',
    path: /^(from|to|expires_at|written)$/,
    reason: 'a time must exist and be within reach, and the two of a range must be in order',
  },
  {
    check: REFUSED,
    type: 'invalid-value',
    path: /^(age|size|interval|buckets|step|wait|overlap|confirm_within)$/,
    reason:
      'a pattern does not bound a duration or a size, and some parameters exclude or need each other',
  },
  {
    check: REFUSED,
    type: 'invalid-value',
    path: /^logspaces$/,
    reason: 'only the server knows which logspaces it has',
  },
  {
    check: REFUSED,
    type: 'invalid-value',
    path: /^password$/,
    reason: 'a password must not be easy to guess',
  },
  {
    check: REFUSED,
    type: 'invalid-value',
    path: /^(role|scope|shared)$/,
    reason: 'which rights go together depends on the role, and on who asks',
  },
  {
    check: REFUSED,
    operation: /^POST \/ingest\b/,
    type: 'invalid-value',
    path: /^format$/,
    reason: 'some parameters are for one media type',
  },
  {
    check: REFUSED,
    operation: /\/saved-searches\b/,
    type: 'invalid-value',
    path: /^(name|folder|tags\[\d+\])$/,
    reason: 'no pattern for control characters is understood by all generators',
  },
  {
    check: REFUSED,
    operation: /^DELETE \/senders\b/,
    type: 'invalid-value',
    path: /^query$/,
    reason: 'to forget all senders has to be said twice',
  },
  {
    check: REFUSED,
    operation: /^GET \/messages\/[^/]+\/context\b/,
    type: 'invalid-value',
    path: /^same$/,
    reason: 'it depends on the message which fields it has',
  },
  {
    check: REFUSED,
    operation: /^PUT \/senders\/.*\/timezone$/,
    type: 'invalid-value',
    path: /^$/,
    reason: 'it depends on the kind of the source',
  },
  {
    check: REFUSED,
    operation: /^POST \/router\/trace$/,
    type: 'invalid-value',
    path: /^(source)?$/,
    reason: 'a message is either named, or sent with its source',
  },
  {
    check: REFUSED,
    operation: /^PUT \/lookups\//,
    type: 'invalid-body',
    reason: 'a description says no more of a table than that it is text',
  },
];

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

function check(url, report) {
  const args = ['run', `${url}/api/v1/openapi.json`, '-H', `Authorization: Bearer ${TOKEN}`];
  const left = STREAMS.flatMap((id) => ['--exclude-operation-id', id]);
  const limits = ['--request-timeout', '30', '-n', String(EXAMPLES), '--seed', '1'];
  const checks = ['--checks', [...FATAL, TAKEN, REFUSED].join(','), '--continue-on-failure'];
  args.push(...left, ...limits, ...checks, '--no-color');
  writeFileSync(join(folder, 'hooks.py'), HOOKS);
  const env = { SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: folder };
  return run(tool, [...args, '--report', 'ndjson', '--report-ndjson-path', report], {
    cwd: folder,
    env,
    log: join(folder, 'output.txt'),
  });
}

function textOf(body) {
  return Buffer.from(body?.$base64 ?? '', 'base64').toString();
}

/** The requests of a finished scenario, each with its answer and the checks that it failed. */
function* requestsOf({ recorder: { checks = {}, interactions = {}, cases } }) {
  for (const [id, results] of Object.entries(checks)) {
    const { request, response } = interactions[id] ?? {};
    const failed = results.filter(({ status }) => status !== 'success').map(({ name }) => name);
    const mode = cases[id]?.value.meta?.generation.mode ?? 'unknown';
    const address = request?.uri.split('/api/v1')[1] ?? '';
    yield { mode, failed, operation: `${request?.method} ${address}`, request, response };
  }
}

function problemOf({ response }) {
  try {
    const { type = '', path = '' } = JSON.parse(textOf(response?.content));
    return { type: String(type).split(':').at(-1), path };
  } catch {
    return { type: '', path: '' };
  }
}

function matches(wanted, value) {
  if (wanted === undefined) return true;
  return wanted instanceof RegExp ? wanted.test(value) : wanted === value;
}

function explanationOf(check, asked) {
  const { type, path } = problemOf(asked);
  const status = asked.response?.status_code;
  // Only patterns that end name an address without its parameters.
  const plain = asked.operation.split('?')[0];
  return EXPLAINED.find(
    (entry) =>
      entry.check === check &&
      (matches(entry.operation, asked.operation) || matches(entry.operation, plain)) &&
      matches(entry.status, status) &&
      matches(entry.type, type) &&
      matches(entry.path, path),
  );
}

function shown(check, { operation, request, response }) {
  const [sent, answered] = [request?.body, response?.content].map((body) =>
    textOf(body).slice(0, 400),
  );
  return `${check}: ${operation}\n  sent: ${sent}\n  ${response?.status_code}: ${answered}`;
}

/** Counts the requests of a report, by what they were and how they were answered, and the findings. */
async function read(report) {
  const found = { requests: new Map(), explained: new Map(), faults: [] };
  const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
  for await (const line of createInterface({ input: createReadStream(report) })) {
    const { ScenarioFinished: scenario, NonFatalError: error } = JSON.parse(line);
    if (error) found.faults.push(`schemathesis failed: ${JSON.stringify(error).slice(0, 800)}`);
    for (const asked of scenario ? requestsOf(scenario) : []) {
      count(found.requests, `${asked.mode} ${String(asked.response?.status_code).slice(0, 1)}xx`);
      for (const check of asked.failed) {
        const explanation = FATAL.includes(check) ? undefined : explanationOf(check, asked);
        if (explanation) count(found.explained, explanation);
        else found.faults.push(shown(check, asked));
      }
    }
  }
  return found;
}

await install();
const { server, url } = await serve(process.env.LOGSTEAD ?? join(root, 'target/debug/logstead'));
const lines = { method: 'POST', headers: { Authorization: `Bearer ${TOKEN}` }, body: 'one\ntwo\n' };
await globalThis.fetch(`${url}/api/v1/ingest?format=lines`, lines);
const report = join(folder, 'report.ndjson');
await check(url, report);
server.kill();
await once(server, 'exit');
const { requests, explained, faults } = await read(report);
const output = readFileSync(join(folder, 'output.txt'), 'utf8');
rmSync(folder, { recursive: true });
for (const [kind, number] of requests) console.log(`${number} requests: ${kind}`);
for (const [{ check, reason }, number] of explained)
  console.log(`${number} ${check === TAKEN ? 'taken' : 'refused'}: ${reason}`);
const all = [...requests.values()].reduce((sum, number) => sum + number, 0);
if (all < REQUESTS_MIN) faults.push(`only ${all} requests were made: ${output.slice(-2000)}`);
for (const fault of faults) console.error(fault);
console.log(`${all} requests, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
