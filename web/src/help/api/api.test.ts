import { expect, test } from 'vitest';
import wire from '../../../openapi.json';
import { readApi, writeApi } from '../helpParams';
import { curlOf, missingOf } from './curl';
import {
  type Description,
  type Operation,
  byTag,
  isRead,
  operationsOf,
  operationsWith,
} from './description';
import { rowsOf, typeText } from './schema';
import { pretty } from './send';

const description = wire as unknown as Description;
const operations = operationsOf(description);
const { schemas } = description.components;

function named(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
}

test('every operation of the description is listed once, under its tag', () => {
  const listed = byTag(operations).flatMap(([, ones]) => ones.map(({ id }) => id));
  const described = Object.values(description.paths).flatMap((methods) => Object.keys(methods));
  expect(listed).toHaveLength(described.length);
  expect(new Set(listed).size).toBe(listed.length);
});

test('an operation says whom it answers', () => {
  expect(named('put_router').needs).toMatch(/^A token or a session with the role operator/);
  expect(named('get_health').needs).toMatch(/^Nothing/);
});

test('operations are found by all of several words', () => {
  const found = operationsWith(operations, 'queue discard').map(({ id }) => id);
  expect(found).toContain('discard_queue');
  expect(found).not.toContain('list_queue');
  expect(operationsWith(operations, 'put /router').map(({ id }) => id)).toContain('put_router');
  expect(operationsWith(operations, 'no such thing')).toEqual([]);
});

test('only what reads and ends can be tried', () => {
  expect(isRead(named('get_router_status'))).toBe(true);
  expect(isRead(named('tail_messages'))).toBe(false);
  expect(isRead(named('put_router'))).toBe(false);
  expect(isRead(named('start_oidc_login'))).toBe(false);
});

test('a command for curl quotes what it is given', () => {
  const search = named('search_messages_by_get');
  const command = curlOf(search, { query: "it's", limit: '' }, 'http://logs:8080', null);
  expect(command).toContain("curl 'http://logs:8080/api/v1/search?query=it%27s'");
  expect(command).toContain('-H "Authorization: Bearer $TOKEN"');
  const put = curlOf(named('put_router'), { 'If-Match': '"3"' }, '', {
    type: 'application/json',
    text: `{"a": "it's"}`,
  });
  expect(put).toContain("curl -X PUT '/api/v1/router'");
  expect(put).toContain(`-H 'If-Match: "3"'`);
  expect(put).toContain(String.raw`--data-binary '{"a": "it'\''s"}'`);
});

test('what a path needs is missing until it is written', () => {
  const queue = named('list_queue');
  expect(missingOf(queue, {})).toEqual(['id']);
  expect(missingOf(queue, { id: 'siem' })).toEqual([]);
  expect(curlOf(queue, {}, '', null)).toContain('/destinations/{id}/queue');
  expect(curlOf(queue, { id: 'a/b' }, '', null)).toContain('/destinations/a%2Fb/queue');
});

test('fields are rows, with type, default and bounds', () => {
  const [body] = named('search_messages').bodies;
  const rows = rowsOf(body?.schema ?? {}, schemas);
  expect(rows.find(({ name }) => name === 'order')?.type).toBe('newest | oldest');
  expect(rows.find(({ name }) => name === 'logspaces')?.type).toBe('list of text');
  const limit = rows.find(({ name }) => name === 'limit');
  expect(limit?.about).toBe('Maximum number of messages on the page. 1 to 10000. Default: `100`.');
});

test('a parameter with a few values lists them', () => {
  const order =
    named('search_messages_by_get').parameters.find(({ name }) => name === 'order')?.schema ?? {};
  expect(typeText(order, schemas)).toBe('newest | oldest');
});

test('every request has an example, and none is endless', () => {
  for (const { id, bodies } of operations) {
    if (bodies.length > 0)
      expect(
        bodies.some(({ example }) => example !== null),
        id,
      ).toBe(true);
    for (const { schema } of bodies) {
      expect(rowsOf(schema, schemas).length, id).toBeLessThan(500);
      expect(typeText(schema, schemas), id).not.toBe('');
    }
  }
  const [body] = named('search_messages').bodies;
  expect(JSON.parse(body?.example ?? '')).toHaveProperty('query');
});

test('JSON is indented, anything else is left as it came', () => {
  expect(pretty('{"a":1}', 'application/json')).toBe('{\n  "a": 1\n}');
  expect(pretty('{"a":1}\n{"a":2}', 'application/x-ndjson')).toBe('{"a":1}\n{"a":2}');
  expect(pretty('{', 'application/json')).toBe('{');
});

test('the address keeps what is open and what is searched for', () => {
  const state = { find: 'queue', operation: 'discard_queue' };
  expect(readApi(writeApi(state))).toEqual(state);
  expect(writeApi({ find: '', operation: null })).toEqual({});
});
