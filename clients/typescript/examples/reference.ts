// The examples of docs/reference, which shows what is between the markers. They run one after the other.
import { Logstead } from 'logstead-client';

const logs = Logstead.fromEnv(process.env);

{
  // example: send
  const stored = await logs.ingest([
    {
      host: 'web-1',
      program: 'shop',
      level: 'error',
      message: 'timed out',
      took_ms: 1250,
    },
    { host: 'web-2', program: 'shop', level: 'info', message: 'GET /cart', took_ms: 3 },
  ]);
  console.log(stored.accepted, 'stored');
  // end
}
{
  // example: lines
  const stored = await logs.ask('POST /api/v1/ingest', {
    query: { host: 'nas-1' },
    headers: { 'Content-Type': 'text/plain' },
    body: 'disk is almost full\ndisk is full\n',
  });
  console.log(stored.accepted, 'stored');
  // end
}
{
  // example: search
  for await (const message of logs.search({ query: 'program=shop severity>=warning', from: '-1h' }))
    console.log(message.host, message.message);
  // end
}
{
  // example: columns
  const columns = ['host', 'took_ms'];
  for await (const page of logs.pages({ query: 'program=shop', columns, order: 'oldest' }))
    for (const { values } of page.rows ?? []) console.log(values.join(' '));
  // end
}
{
  // example: context
  const body = { query: 'program=shop', order: 'oldest', limit: 1 } as const;
  const { messages } = await logs.ask('POST /api/v1/search', { body });
  const around = await logs.ask('GET /api/v1/messages/{id}/context', {
    path: { id: messages[0]?.id ?? '' },
    query: { before: 5, after: 5, same: 'program' },
  });
  console.log(around.before.length, 'before,', around.after.length, 'after');
  // end
}
{
  // example: count
  const { count } = await logs.ask('POST /api/v1/count', {
    body: { query: 'program=shop took_ms>1000', from: '-1h' },
  });
  console.log(count, 'slow');
  // end
}
{
  // example: histogram
  const { total, buckets } = await logs.ask('POST /api/v1/histogram', {
    body: { query: 'program=shop', from: '-1h', buckets: 60, by: 'host' },
  });
  console.log(
    buckets.reduce((sum, { count }) => sum + count, 0),
    'of',
    total,
  );
  // end
}
{
  // example: facets
  const { fields } = await logs.ask('POST /api/v1/facets', {
    body: { query: 'program=shop', fields: ['host'], limit: 10 },
  });
  console.log(fields['host']?.distinct, 'hosts');
  // end
}
{
  // example: table
  const { columns, rows } = await logs.ask('POST /api/v1/aggregate', {
    body: { query: 'program=shop | stats count(), max(took_ms) as slowest' },
  });
  console.log(columns.map(({ name }) => name).join(' '));
  for (const row of rows) console.log(row.join(' '));
  // end
}
{
  // example: export
  for await (const message of logs.export({ query: 'program=shop', from: '-1d', order: 'oldest' }))
    console.log(message.message);
  // end
}
{
  // example: tail
  for await (const message of logs.tail({ query: 'program=shop', last: 1 })) {
    console.log(message.message);
    break;
  }
  // end
}
{
  // example: apply
  const document = `
    version = 1
    [[sources]]
    id = "http"
    kind = "http"
    [[logspaces]]
    id = "main"
    [[routes]]
    id = "default"
    to = ["main"]`;
  const { headers } = await logs.answer('GET /api/v1/router');
  const change = await logs.ask('PUT /api/v1/router', {
    headers: { 'If-Match': headers.get('ETag') ?? '', 'Content-Type': 'application/toml' },
    query: { comment: 'from a file' },
    body: document,
  });
  console.log('revision', change.revision);
  // end
}
{
  // example: edit
  const { data: document, headers } = await logs.answer('GET /api/v1/router');
  document.logspaces?.push({ id: 'audits', durability: 'fsync', retention: { age: '365d' } });
  const change = await logs.ask('PUT /api/v1/router', {
    headers: { 'If-Match': headers.get('ETag') ?? '' },
    body: document,
  });
  console.log('revision', change.revision);
  // end
}
{
  // example: logspace
  const change = await logs.ask('PUT /api/v1/logspaces/{id}', {
    path: { id: 'audits' },
    body: { retention: { age: '730d', size: '10GiB' } },
  });
  console.log('revision', change.revision);
  // end
}
{
  // example: token
  const { name, role, token } = await logs.ask('POST /api/v1/tokens', {
    body: { name: 'shop', role: 'ingest', limits: { messages_per_second: 1000 } },
  });
  console.log(name, role, token.replace(/.+/, '***')); // the server never tells it again
  // end
}
{
  // example: user
  const user = await logs.ask('PUT /api/v1/users/{name}', {
    path: { name: 'ana' },
    body: {
      role: 'analyst',
      logspaces: ['main'],
      scope: null,
      password: 'a long enough passphrase',
    },
  });
  console.log(user.name, user.role);
  // end
}
{
  // example: saved-search
  const saved = await logs.ask('POST /api/v1/saved-searches', {
    body: { name: 'errors', query: 'severity>=err', from: '-1h', shared: true },
  });
  console.log(saved.name, saved.query);
  // end
}
{
  // example: audit
  const { entries } = await logs.ask('GET /api/v1/audit', { query: { limit: 1 } });
  console.log(entries[0]?.action);
  // end
}
