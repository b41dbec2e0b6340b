import { expect, test } from 'vitest';
import { itemInText, itemsOf } from './textItems';

const text = `version = 1
[[sources]]
id = "in"
kind = "syslog"
tls = { key = "x" }

[[routes]]
id = "first"
[[routes.steps]]
id = "not the route"

[[routes]]
where = "severity:wrong"
id = 'second'
final = `;

test('an item is known by its place in the text', () => {
  expect(itemInText(text, { section: 'routes', index: 0 })).toEqual({ id: 'first' });
  expect(itemInText(text, { section: 'routes', index: 1 })).toEqual({ id: 'second' });
  expect(itemInText(text, { section: 'sources', index: 0 })).toEqual({ id: 'in', kind: 'syslog' });
  expect(itemInText(text, { section: 'routes', index: 2 })).toBeUndefined();
});

test('a document knows better than its text', () => {
  const document = {
    ...{ version: 1, sources: [], logspaces: [], destinations: [] },
    routes: [{ id: 'renamed' }],
  };
  const place = { section: 'routes', index: 0 } as const;
  expect(itemsOf(document, { kind: 'toml', text })(place)).toEqual({ id: 'renamed' });
  expect(itemsOf(null, { kind: 'toml', text })(place)).toEqual({ id: 'first' });
  expect(itemsOf(null, null)(place)).toBeUndefined();
});
