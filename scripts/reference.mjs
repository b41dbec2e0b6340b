// Writes docs/reference: the operations of web/openapi.json by task, with examples in four languages. With `--check`, it
// only tells whether the pages are current.
//
// The examples are parts of programs that the tests of the clients run, and those within operations come from
// crates/api/src/openapi/examples.json, which a test of the server sends.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const folder = join(root, 'docs/reference');
const { paths, components } = JSON.parse(readFileSync(join(root, 'web/openapi.json'), 'utf8'));
/** The longest example of an answer, in lines. */
const LINES_SHOWN = 40;

/** The pages: each has operations by their ids or tags, and examples. */
const pages = [
  {
    file: 'send',
    title: 'Sending messages',
    about:
      'For programs; [sending over HTTP](../http.md) says more, and [receiving from shippers](../ingest.md) is for the ' +
      'protocols of other systems.',
    examples: { send: 'Objects, with a key that prevents doubles', lines: 'Lines of text' },
    operations: ['ingest'],
  },
  {
    file: 'search',
    title: 'Searching',
    about:
      'Messages in the [query language](../query-language.md), page by page; [more](../api.md) about all searches.',
    examples: {
      search: 'Messages',
      columns: 'Columns instead of messages',
      context: 'The messages around one',
    },
    operations: [
      ...[
        'search_messages',
        'get_message',
        'get_message_context',
        'stream_overview',
        'list_fields',
      ],
      ...['complete_query', 'parse_query', 'explain_query', 'stream_changes'],
    ],
  },
  {
    file: 'statistics',
    title: 'Counting',
    about: 'How many messages match, when, and with which values.',
    examples: {
      count: 'Count',
      histogram: 'Counts over time',
      facets: 'Frequent values',
      table: 'The table of a query with stages',
    },
    operations: ['count_messages', 'compute_histogram', 'compute_facets', 'aggregate_messages'],
  },
  {
    file: 'export',
    title: 'Exporting',
    about: 'All messages that match, in one answer that says whether it is complete.',
    examples: { export: 'Messages from the oldest to the newest' },
    operations: ['export_messages', 'start_export'],
  },
  {
    file: 'tail',
    title: 'Following',
    about:
      'Messages as they are stored. The clients connect again by themselves, and continue where the connection broke.',
    examples: { tail: 'From the newest stored message on' },
    operations: ['tail_messages'],
  },
  {
    file: 'router',
    title: 'The router document',
    about:
      'Where messages come from and where they go: [the document](../router.md) is replaced as a whole.',
    examples: { apply: 'A document from a file', edit: 'One change, if nobody else was faster' },
    operations: ['router'],
  },
  {
    file: 'destinations',
    title: 'Destinations',
    about: 'The queues of [systems that messages are forwarded to](../forwarding.md).',
    examples: {},
    operations: ['destinations'],
  },
  {
    file: 'logspaces',
    title: 'Logspaces',
    about: 'The parts of the store, and how long they keep messages.',
    examples: { logspace: 'Retention' },
    operations: ['logspaces'],
  },
  {
    file: 'jobs',
    title: 'Jobs',
    about:
      'Long work, such as verifying a logspace, [goes on without its client](../api.md#jobs): what it has done so far, and its result.',
    examples: {},
    operations: ['jobs'],
  },
  {
    file: 'senders',
    title: 'Senders',
    about: 'The hosts that send messages.',
    examples: {},
    operations: ['senders'],
  },
  {
    file: 'accounts',
    title: 'Users, tokens and the audit log',
    about:
      '[Who may do what](../accounts.md); `logstead apply` makes [all of it like files](../apply.md).',
    examples: {
      token: 'A token that can only send',
      user: 'A user',
      audit: 'The newest audit entry',
    },
    operations: ['accounts'],
  },
  {
    file: 'saved-searches',
    title: 'Saved searches',
    about: 'Searches that are kept under a name.',
    examples: { 'saved-search': 'A search that everyone sees' },
    operations: ['saved searches'],
  },
  {
    file: 'account',
    title: "The caller's own account",
    about: 'What the console uses: sessions, second factors and preferences.',
    examples: {},
    operations: ['account', 'session'],
  },
  {
    file: 'system',
    title: 'The server',
    about: 'Version, settings, health and metrics.',
    examples: {},
    operations: ['system'],
  },
];

/** The programs with the examples. */
const programs = [
  { language: 'curl', code: 'sh', path: 'docs/reference/examples.sh' },
  { language: 'Python', code: 'python', path: 'clients/python/examples/reference.py' },
  { language: 'TypeScript', code: 'ts', path: 'clients/typescript/examples/reference.ts' },
  { language: 'Go', code: 'go', path: 'clients/go/examples/reference/main.go' },
];

const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ ...operation, method, path })),
);
const snippets = new Map(programs.map(({ language, path }) => [language, snippetsOf(path)]));

/** The parts of a program between its markers, by name. */
function snippetsOf(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const found = text.matchAll(
    /^[ \t]*(?:#|\/\/) example: (\S+)\n([\s\S]*?)\n[ \t]*(?:#|\/\/) end$/gm,
  );
  return new Map([...found].map(([, name, lines]) => [name, outdented(lines)]));
}

function outdented(text) {
  const lines = text.split('\n');
  const [indent] = lines
    .filter((line) => line !== '')
    .map((line) => /^[ \t]*/.exec(line)[0])
    .sort((one, other) => one.length - other.length);
  return lines.map((line) => line.slice(indent.length)).join('\n');
}

/** The operations of a page. One that is asked by GET as well is described once. */
function operationsOf({ operations: wanted }) {
  const isWanted = ({ operationId, tags }) =>
    wanted.some((one) => one === operationId || tags.includes(one));
  const found = operations.filter((one) => isWanted(one) && !one.operationId.endsWith('_by_get'));
  const place = ({ operationId }) => wanted.indexOf(operationId);
  return found.sort((one, other) => place(one) - place(other));
}

function page(one) {
  const { title, about, examples } = one;
  const parts = [`# ${title}`, MADE, about];
  for (const [name, heading] of Object.entries(examples))
    parts.push(`## ${heading}`, ...inLanguages(name));
  return [...parts, '## Operations', ...operationsOf(one).flatMap(operation)].join('\n\n') + '\n';
}

const MADE = '<!-- Made by scripts/reference.mjs of the description of the API. -->';

function inLanguages(name) {
  return programs.flatMap(({ language, code }) => {
    const snippet = snippets.get(language).get(name);
    return snippet === undefined ? [] : [language, fenced(code, snippet)];
  });
}

function fenced(code, text) {
  return `\`\`\`${code}\n${text}\n\`\`\``;
}

function operation(one) {
  const { operationId, method, path, summary, description, parameters = [], responses } = one;
  const needed = /^Needs (.*?),? or the CSRF token is missing$/.exec(
    responses['403']?.description ?? '',
  )?.[1];
  const twin = operations.some(({ operationId: id }) => id === `${operationId}_by_get`);
  const lines = [
    `### ${operationId}`,
    `\`${method.toUpperCase()} ${path}\`${twin ? ', or `GET` with the same parameters, lists separated by commas' : ''}`,
    oneLine(summary),
    ...(description ? [oneLine(description)] : []),
    ...(needed ? [`Needs ${needed}.`] : []),
  ];
  if (parameters.length > 0) lines.push(parameterTable(parameters));
  lines.push(...request(one), ...answers(responses));
  return lines;
}

function parameterTable(parameters) {
  const rows = parameters.map(({ name, in: place, required, schema, description }) => {
    const where = place === 'query' ? '' : `, in the ${place}`;
    return [
      `\`${name}\`${required ? '' : ', optional'}${where}`,
      typeOf(schema),
      meaning({ ...schema, description }),
    ];
  });
  return table(['parameter', 'type', 'meaning'], rows);
}

function request({ requestBody }) {
  const content = Object.entries(requestBody?.content ?? {});
  const types = content.map(([media, { schema }]) => `${typeOf(schema)} (\`${media}\`)`);
  const examples = content.filter(([, { example }]) => example !== undefined);
  return [
    ...(types.length > 0 ? [`Body: ${types.join(', or ')}`] : []),
    ...examples.map(([media, { example }]) => fenced(languageOf(media), textOf(example))),
  ];
}

function answers(responses) {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const bad = Object.keys(responses).filter((status) => /^[45]/.test(status));
  const lines = good.flatMap(([status, { description, content = {} }]) => {
    const types = Object.entries(content).map(
      ([media, { schema }]) => `${typeOf(schema)} (\`${media}\`)`,
    );
    const said = types.length > 0 ? types.join(', or ') : oneLine(description);
    const examples = Object.entries(content).filter(([, { example }]) => example !== undefined);
    return [
      `Answer ${status}: ${said}`,
      ...examples.map(([media, { example }]) =>
        fenced(languageOf(media), shortened(textOf(example))),
      ),
    ];
  });
  return bad.length === 0
    ? lines
    : [...lines, `Refusals: ${bad.join(', ')} ([problems](../problems.md))`];
}

function languageOf(media) {
  const languages = { 'application/json': 'json', 'application/toml': 'toml', 'text/csv': 'csv' };
  return languages[media] ?? 'text';
}

function textOf(example) {
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 1);
  return text.trimEnd();
}

function shortened(text) {
  const lines = text.split('\n');
  return lines.length <= LINES_SHOWN ? text : [...lines.slice(0, LINES_SHOWN), '…'].join('\n');
}

/** A type in words, with links to those that have a name. */
function typeOf(schema = {}) {
  const { $ref, oneOf, type, items, enum: values, format, additionalProperties: others } = schema;
  if ($ref) return link($ref.split('/').at(-1));
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (oneOf) return oneOf.map(typeOf).join(' or ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' or ');
  if (type === 'array') return `list of ${typeOf(items)}`;
  if (type === 'object' && typeof others === 'object')
    return `object whose values are ${typeOf(others)}`;
  const words = {
    string: 'text',
    null: 'null',
    boolean: '`true` or `false`',
    undefined: 'anything',
  };
  const formats = { 'date-time': 'time', binary: 'bytes' };
  return formats[format] ?? words[type] ?? type;
}

function link(name) {
  return `[${name}](types.md#${name.toLowerCase()})`;
}

function meaning({
  description = '',
  minimum,
  maximum,
  minLength,
  maxLength,
  maxItems,
  default: standard,
  example,
}) {
  const bounds = [
    minimum > 0 && maximum === undefined && `At least ${minimum}.`,
    maximum !== undefined && `${minimum ?? 0} to ${maximum}.`,
    maxLength !== undefined && `${minLength ?? 0} to ${maxLength} characters.`,
    maxItems !== undefined && `At most ${maxItems}.`,
    !['', null, undefined].includes(standard) &&
      typeof standard !== 'object' &&
      `Default: \`${standard}\`.`,
    typeof example === 'string' &&
      example !== '' &&
      !example.includes('\n') &&
      `Example: \`${example}\`.`,
  ];
  return [oneLine(description), ...bounds.filter(Boolean)].join(' ').trim();
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function typesPage() {
  const types = Object.entries(components.schemas).flatMap(([name, schema]) => {
    const { properties = {}, required = [], description = '', oneOf } = schema;
    const rows = Object.entries(properties).map(([property, of]) => [
      `\`${property}\`${required.includes(property) ? '' : ', optional'}`,
      typeOf(of),
      meaning(of),
    ]);
    return [
      `## ${name}`,
      ...(description ? [oneLine(description)] : []),
      ...(rows.length > 0 ? [table(['property', 'type', 'meaning'], rows)] : []),
      ...(oneOf || rows.length === 0 ? [typeOf(schema)] : []),
    ];
  });
  return (
    ['# Types', MADE, 'The types of requests and answers, by name.', ...types].join('\n\n') + '\n'
  );
}

function indexPage() {
  const rows = pages.map((one) => [
    `[${one.title}](${one.file}.md)`,
    operationsOf(one)
      .map(({ operationId: id }) => `[${id}](${one.file}.md#${id})`)
      .join(', '),
  ]);
  const about =
    'Each page has examples for curl and the clients for [Python](../python.md), ' +
    '[TypeScript](../../clients/typescript/README.md) and [Go](../../clients/go/README.md), and the operations with their ' +
    'parameters, bodies and answers. All examples are run by tests. The address of the server is in `LOGSTEAD_SERVER`, and ' +
    'an API token in `LOGSTEAD_TOKEN`; `logs` is made of them, by `Logstead.from_env()` in Python, ' +
    '`Logstead.fromEnv(process.env)` in TypeScript and `logstead.FromEnv()` in Go. [Asking the store](../api.md) says what ' +
    'all operations have in common.';
  return (
    ['# API reference', MADE, about, table(['task', 'operations'], rows), '[Types](types.md)'].join(
      '\n\n',
    ) + '\n'
  );
}

function checkCompleteness() {
  const places = operations
    .filter(({ operationId }) => !operationId.endsWith('_by_get'))
    .map(({ operationId }) => [
      operationId,
      pages.filter((one) => operationsOf(one).some((of) => of.operationId === operationId)).length,
    ]);
  const shown = new Set(pages.flatMap(({ examples }) => Object.keys(examples)));
  const written = programs.flatMap(({ language }) => [...snippets.get(language).keys()]);
  const faults = [
    ...places
      .filter(([, number]) => number !== 1)
      .map(([id, number]) => `${id} is on ${number} pages`),
    ...[...shown]
      .filter((name) => !written.includes(name))
      .map((name) => `no program has the example ${name}`),
    ...written.filter((name) => !shown.has(name)).map((name) => `no page has the example ${name}`),
  ];
  if (faults.length > 0) throw new Error(`scripts/reference.mjs: ${faults.join('; ')}`);
}

checkCompleteness();
const texts = new Map([
  ['README.md', indexPage()],
  ...pages.map((one) => [`${one.file}.md`, page(one)]),
  ['types.md', typesPage()],
]);
const present = readdirSync(folder).filter((name) => name.endsWith('.md'));
const stale = [...texts].filter(([name, text]) => {
  const path = join(folder, name);
  return !existsSync(path) || readFileSync(path, 'utf8') !== text;
});
const foreign = present.filter((name) => !texts.has(name));
if (process.argv.includes('--check')) {
  const names = [...stale.map(([name]) => name), ...foreign];
  if (names.length > 0) {
    console.error(
      `docs/reference is not current (${names.join(', ')}): node scripts/reference.mjs`,
    );
    process.exit(1);
  }
} else for (const [name, text] of stale) writeFileSync(join(folder, name), text);
