// Tests that the comparison finds breaks, and nothing else, in the API's own description.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { breaks } from './api-breaks.mjs';
import { root } from './run.mjs';

const text = readFileSync(join(root, 'web/openapi.json'), 'utf8');
const description = JSON.parse(text);

/** The breaks that a change of the description makes. */
function after(change) {
  const now = JSON.parse(text);
  change(now, now.components.schemas);
  return breaks(description, now);
}

const planted = [
  [
    'an operation is removed',
    ({ paths }) => delete paths['/api/v1/count'].post,
    'POST /api/v1/count is gone',
  ],
  [
    'a path is renamed',
    ({ paths }) => {
      paths['/api/v1/spaces'] = paths['/api/v1/logspaces'];
      delete paths['/api/v1/logspaces'];
    },
    'GET /api/v1/logspaces is gone',
  ],
  [
    'a property of an answer is removed',
    (_, { Message }) => delete Message.properties.raw,
    'Message answered: raw is gone',
  ],
  [
    'a property of an answer has another type',
    (_, { CountResult }) => (CountResult.properties.count.type = 'string'),
    'CountResult answered: count: may be string',
  ],
  [
    'a property of an answer can be null',
    (_, { About }) => (About.properties.pid.type = ['integer', 'null']),
    'About answered: pid: may be null',
  ],
  [
    'a property of an answer may be missing',
    (_, { Session }) => Session.required.splice(Session.required.indexOf('csrf_token'), 1),
    'Session answered: csrf_token may be missing',
  ],
  [
    'a property of a request is new and required',
    (_, { UserToCreate }) => {
      UserToCreate.properties.email = { type: 'string' };
      UserToCreate.required.push('email');
    },
    'UserToCreate asked: email is new and required',
  ],
  [
    'a property of a request is not taken any more',
    (_, { SearchRequest }) => delete SearchRequest.properties.cursor,
    'SearchRequest asked: cursor is gone',
  ],
  [
    'a parameter is required',
    ({ paths }) =>
      (paths['/api/v1/flow'].get.parameters.find(({ name }) => name === 'from').required = true),
    'GET /api/v1/flow: query from is required now',
  ],
  [
    'a parameter is new and required',
    ({ paths }) =>
      paths['/api/v1/flow'].get.parameters.push({
        name: 'all',
        in: 'query',
        required: true,
        schema: { type: 'boolean' },
      }),
    'GET /api/v1/flow: query all is new and required',
  ],
  [
    'a value of an enumeration is removed',
    (_, { ResultOrder }) => (ResultOrder.enum = ['newest']),
    'SearchRequest asked: order: the value oldest is gone',
  ],
  [
    'a kind of a union is removed',
    (_, { Destination }) => Destination.oneOf.splice(0, 1),
    'Destination asked: no longer kind syslog',
  ],
  [
    'a limit is narrower',
    (_, { SearchRequest }) => (SearchRequest.properties.limit.maximum = 1000),
    'SearchRequest asked: limit: maximum is 1000 now',
  ],
  [
    'a default is another',
    (_, { SearchRequest }) => (SearchRequest.properties.limit.default = 50),
    'SearchRequest asked: limit: the default is 50 instead of 100',
  ],
  [
    'success has another status',
    ({ paths }) => {
      const { responses } = paths['/api/v1/tokens'].post;
      responses['200'] = responses['201'];
      delete responses['201'];
    },
    'POST /api/v1/tokens: 201 is gone',
  ],
  [
    'a body is another type of media',
    ({ paths }) => delete paths['/api/v1/router'].put.requestBody.content['application/toml'],
    'PUT /api/v1/router: body: application/toml is gone',
  ],
  [
    'what anybody could ask needs a login',
    ({ paths }) => (paths['/healthz'].get.security = [{ token: [] }]),
    'GET /healthz needs a login now',
  ],
  [
    'an operation has another id',
    ({ paths }) => (paths['/api/v1/about'].get.operationId = 'about'),
    'GET /api/v1/about is called about instead of get_about',
  ],
];

for (const [name, change, line] of planted) {
  test(`seen: ${name}`, () => {
    const found = after(change);
    assert.ok(found.includes(line), `${line}\nis not among\n${found.join('\n')}`);
  });
}

const compatible = [
  ['nothing', () => undefined],
  [
    'a parameter of an address is null nowhere',
    ({ paths }) => {
      const { parameters } = paths['/api/v1/flow'].get;
      const from = parameters.find(({ name }) => name === 'from');
      from.schema = { ...from.schema, type: 'string' };
    },
  ],
  [
    'an operation is new',
    ({ paths }) => (paths['/api/v1/more'] = { get: { operationId: 'more', responses: {} } }),
  ],
  [
    'a property of an answer is new',
    (_, { Message }) => {
      Message.properties.more = { type: 'string' };
      Message.required.push('more');
    },
  ],
  [
    'a property of a request is new',
    (_, { SearchRequest }) => (SearchRequest.properties.more = { type: 'string' }),
  ],
  [
    'a property of a request may be left out',
    (_, { UserToCreate }) => UserToCreate.required.splice(0, 1),
  ],
  ['a value is new', (_, { ResultOrder }) => ResultOrder.enum.push('random')],
  [
    'a kind of a union is new',
    (_, { Destination }) =>
      Destination.oneOf.push({
        type: 'object',
        required: ['kind'],
        properties: { kind: { type: 'string', enum: ['kafka'] } },
      }),
  ],
  ['a limit is wider', (_, { SearchRequest }) => (SearchRequest.properties.limit.maximum = 20_000)],
  [
    'an answer is never null any more',
    (_, { About }) => (About.properties.memory_bytes.type = 'integer'),
  ],
  [
    'a schema has another name',
    (now, schemas) => {
      schemas.Found = schemas.CountResult;
      const { content } = now.paths['/api/v1/count'].post.responses['200'];
      content['application/json'].schema.$ref = '#/components/schemas/Found';
    },
  ],
  [
    'a parameter of the path has another name',
    ({ paths }) => {
      const item = paths['/api/v1/tokens/{id}'];
      delete paths['/api/v1/tokens/{id}'];
      paths['/api/v1/tokens/{token}'] = item;
      for (const { parameters } of Object.values(item))
        parameters.find(({ in: place }) => place === 'path').name = 'token';
    },
  ],
  [
    'a refusal has a status of its own',
    ({ paths }) => {
      const { responses } = paths['/api/v1/about'].get;
      responses['409'] = responses.default;
    },
  ],
  ['prose is another', (_, { Message }) => (Message.description = 'Something else.')],
];

for (const [name, change] of compatible) {
  test(`no break: ${name}`, () => assert.deepEqual(after(change), []));
}

test('every property of every schema in use is missed, and that they are required', () => {
  const now = JSON.parse(text);
  let tried = 0;
  for (const { place } of objects(description)) {
    const { properties, required = [] } = place(now);
    for (const [name, schema] of Object.entries(properties)) {
      delete properties[name];
      const told = `nobody missed ${name}, one of ${Object.keys(properties).join(', ')}`;
      assert.ok(breaks(description, now).length > 0, told);
      properties[name] = schema;
      tried += 1;
    }
    place(now).required = [];
    if (required.length > 0)
      assert.ok(breaks(now, description).length + breaks(description, now).length > 0);
    place(now).required = required;
  }
  assert.ok(tried > 500, `${tried} properties`);
  assert.deepEqual(breaks(description, now), [], 'everything was put back');
});

test('every operation is missed', () => {
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of Object.keys(item)) {
      const gone = after(({ paths }) => delete paths[path][method]);
      assert.deepEqual(gone, [`${method.toUpperCase()} ${path} is gone`]);
    }
  }
});

/**
 * All objects with properties that operations use, each with a function that finds it in another
 * description.
 */
function objects(of) {
  const found = [];
  const seen = new Set();
  const visit = (schema, place) => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').pop();
      if (seen.has(name)) return;
      seen.add(name);
      visit(of.components.schemas[name], (now) => now.components.schemas[name]);
      return;
    }
    for (const choice of ['oneOf', 'anyOf', 'allOf'])
      schema[choice]?.forEach((one, at) => visit(one, (now) => place(now)[choice][at]));
    if (schema.items !== undefined) visit(schema.items, (now) => place(now).items);
    if (schema.properties === undefined) return;
    found.push({ place, of: schema });
    for (const [name, property] of Object.entries(schema.properties))
      visit(property, (now) => place(now).properties[name]);
  };
  for (const [path, item] of Object.entries(of.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const bodies = [
        [operation.requestBody, (now) => now.paths[path][method].requestBody],
        ...Object.entries(operation.responses).map(([status, response]) => [
          response,
          (now) => now.paths[path][method].responses[status],
        ]),
      ];
      for (const [body, place] of bodies)
        for (const [type, { schema }] of Object.entries(body?.content ?? {}))
          if (schema !== undefined) visit(schema, (now) => place(now).content[type].schema);
    }
  }
  return found;
}
