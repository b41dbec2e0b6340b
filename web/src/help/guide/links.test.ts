import { expect, test } from 'vitest';
import { linkOf } from './links';

test('a link leads to the part of a document that the console has', () => {
  expect(linkOf('router.md#logspaces', 'console')).toBe('/help?doc=router&part=logspaces');
  expect(linkOf('#keys', 'query-language')).toBe('/help?doc=query-language&part=keys');
  expect(linkOf('query-language.md', 'console')).toBe('/help?doc=query-language');
  expect(linkOf('api.md', 'console')).toBe('/help/api');
  expect(linkOf('https://example.org/x', 'console')).toBe('https://example.org/x');
});

test('a link to a document outside the guides is dropped', () => {
  expect(linkOf('operating.md#backup', 'console')).toBeNull();
  expect(linkOf('../config/router.toml', 'router')).toBeNull();
});
