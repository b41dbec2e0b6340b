// The calls of calls.txt, made with the client that hey-api generates.
import * as api from './client/index.js';
import { client } from './client/client.gen.js';

client.setConfig({
  baseUrl: process.env['LOGSTEAD_SERVER'] ?? '',
  auth: () => process.env['LOGSTEAD_TOKEN'] ?? '',
  throwOnError: true,
});

async function attempt(name: string, call: () => Promise<boolean>): Promise<void> {
  const outcome: unknown = await call().catch((error: unknown) => error);
  if (outcome === true) return console.log('ok', name);
  console.log(`no ${name}:`, outcome);
  process.exitCode = 1;
}

const query = 'program=calls';
const throwOnError = true;
/** A body whose type is not the first one that the description names. */
const other = (type: string, body: string) => ({
  bodySerializer: null,
  headers: { 'Content-Type': type },
  body: body as never,
});

await attempt('ingest_text', async () => {
  const { data } = await api.ingestMessages({
    ...other('text/plain', 'disk is full'),
    query: { host: 'nas-1' },
    throwOnError,
  });
  return data.accepted === 1;
});
await attempt('ingest_object', async () => {
  const { data } = await api.ingestMessages({
    body: { message: 'one', program: 'calls', tags: ['a', 'b'] } as never,
    headers: { 'Idempotency-Key': 'one' },
    throwOnError,
  });
  return data.accepted === 1;
});
await attempt('ingest_list', async () => {
  const body = [
    { message: 'two', program: 'calls', n: 2 },
    { message: 'three', program: 'calls', n: 3 },
  ];
  const { data } = await api.ingestMessages({ body, throwOnError });
  return data.accepted === 2;
});
await attempt('ingest_ndjson', async () => {
  const line = '{"message": "four", "program": "calls", "n": 4}\n';
  const { data } = await api.ingestMessages({
    ...other('application/x-ndjson', line),
    throwOnError,
  });
  return data.accepted === 1;
});

let cursor: string | null = null;
await attempt('search', async () => {
  const { data } = await api.searchMessages({ body: { query, limit: 3 }, throwOnError });
  cursor = data.cursor;
  return data.messages.length === 3 && cursor !== null;
});
await attempt('next_page', async () => {
  const { data } = await api.searchMessages({ body: { query, limit: 3, cursor }, throwOnError });
  return data.messages[0]?.fields['tags']?.length === 2;
});
await attempt('count', async () => {
  const { data } = await api.countMessages({ body: { query }, throwOnError });
  return data.count === 4;
});
await attempt('histogram', async () => {
  const { data } = await api.computeHistogram({ body: { query, by: 'program' }, throwOnError });
  return data.total === 4;
});
await attempt('facets', async () => {
  const { data } = await api.computeFacets({ body: { query, fields: ['n'] }, throwOnError });
  return data.fields['n']?.distinct === 3;
});
await attempt('aggregate', async () => {
  const { data } = await api.aggregateMessages({
    body: { query: `${query} | stats count()` },
    throwOnError,
  });
  return data.rows[0]?.[0] === 4;
});
await attempt('export', async () => {
  const { data } = await api.exportMessages({ query: { query }, parseAs: 'text', throwOnError });
  return String(data).trim().split('\n').length === 4;
});
await attempt('tail', async () => {
  const { stream } = await api.tailMessages({ query: { query, last: 2 } });
  for await (const event of stream) {
    const told = event as api.TailEvent;
    if (told.kind === 'messages') return told.messages.length === 2;
  }
  return false;
});

const live = await api.getRouter({ throwOnError });
const document = live.data as api.Document;
await attempt('get_router', async () => document.sources?.length === 2);
document.logspaces?.push({ id: 'new', durability: 'fsync', retention: {} });
await attempt('validate_router', async () => {
  const { data } = await api.validateRouter({ body: document, throwOnError });
  return data.valid;
});
await attempt('put_router', async () => {
  const headers = { 'If-Match': live.response.headers.get('ETag') ?? '' };
  const { data } = await api.putRouter({
    body: document,
    headers,
    query: { confirm_within: '1h' },
    throwOnError,
  });
  return data.revision === 2;
});
await attempt('confirm_router', async () => {
  const { response } = await api.confirmRouter({ throwOnError });
  return response.ok;
});
await attempt('trace_message', async () => {
  const { data } = await api.traceMessage({
    body: { raw: '<11>a', source: 'syslog' },
    throwOnError,
  });
  return data.routes.length === 2;
});
await attempt('test_router', async () => {
  const { response } = await api.testRouter({ body: { document, query }, throwOnError });
  return response.ok;
});
await attempt(
  'get_router_status',
  async () => (await api.getRouterStatus({ throwOnError })).response.ok,
);
await attempt('list_revisions', async () => {
  const { data } = await api.listRevisions({ throwOnError });
  return data.revisions.length === 2;
});
await attempt('roll_back_router', async () => {
  const { data } = await api.rollBackRouter({ path: { revision: 1 }, throwOnError });
  return data.revision === 3;
});

await attempt(
  'list_senders',
  async () => (await api.listSenders({ throwOnError })).data.senders.length > 0,
);
await attempt(
  'list_logspaces',
  async () => (await api.listLogspaces({ throwOnError })).data.logspaces.length > 1,
);
await attempt('put_logspace', async () => {
  const { data } = await api.putLogspace({
    path: { id: 'other' },
    body: { retention: { age: '30d' } },
    throwOnError,
  });
  return data.revision > 3;
});
await attempt('verify_logspace', async () => {
  const { response } = await api.verifyLogspace({ path: { id: 'main' }, throwOnError });
  return response.ok;
});
await attempt('put_lookup', async () => {
  const body = new Blob(['host,owner\nweb-1,shop\n']);
  const { response } = await api.putLookup({ path: { name: 'hosts.csv' }, body, throwOnError });
  return response.status === 204;
});
await attempt('get_lookup', async () => {
  const { data } = await api.getLookup({
    path: { name: 'hosts.csv' },
    parseAs: 'text',
    throwOnError,
  });
  return String(data).includes('web-1,shop');
});

let id = 0;
await attempt('create_token', async () => {
  const { data } = await api.createToken({ body: { name: 'calls', role: 'ingest' }, throwOnError });
  ({ id } = data);
  return data.token !== '';
});
await attempt('update_token', async () => {
  const { data } = await api.updateToken({ path: { id }, body: { name: 'renamed' }, throwOnError });
  return data.name === 'renamed';
});
await attempt(
  'list_tokens',
  async () => (await api.listTokens({ throwOnError })).data.tokens.length > 0,
);
await attempt(
  'delete_token',
  async () => (await api.deleteToken({ path: { id }, throwOnError })).response.status === 204,
);
await attempt('put_user', async () => {
  const body = {
    role: 'analyst',
    logspaces: null,
    scope: null,
    password: 'a long enough passphrase',
  } as const;
  const { data } = await api.putUser({ path: { name: 'ana' }, body, throwOnError });
  return data.name === 'ana';
});
await attempt(
  'list_users',
  async () => (await api.listUsers({ throwOnError })).data.users.length > 0,
);
await attempt('create_saved_search', async () => {
  const { data } = await api.createSavedSearch({
    body: { name: 'all', query: '*', shared: true },
    throwOnError,
  });
  return data.id > 0;
});
await attempt(
  'list_saved_searches',
  async () => (await api.listSavedSearches({ throwOnError })).response.ok,
);
await attempt(
  'list_audit',
  async () => (await api.listAuditEntries({ throwOnError })).data.entries.length > 0,
);
await attempt('about', async () => (await api.getAbout({ throwOnError })).data.version !== '');
await attempt('openapi', async () => (await api.getOpenapi({ throwOnError })).response.ok);
process.exit();
