import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  const querySelector = () => ({ content: '/logs' });
  vi.stubGlobal('document', { querySelector });
});

afterEach(() => {
  vi.unstubAllGlobals();
  // Other test files share the modules.
  vi.resetModules();
});

test('below a path, what is asked for and linked to is below it', async () => {
  const { serverUrl, under, withoutBase } = await import('./base');
  const { address } = await import('./ui/open');
  const { client } = await import('./api/client');
  const asked: string[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    asked.push(request.url);
    return Promise.resolve(new Response('{}'));
  });
  await client.GET('/api/v1/about');
  expect(asked).toEqual(['http://localhost:3000/logs/api/v1/about']);
  expect(under('/healthz')).toBe('/logs/healthz');
  expect(serverUrl()).toBe('http://localhost:3000/logs');
  expect(address('/search', { q: 'a b' })).toBe('/logs/search?q=a+b');
  expect(['/logs/search', '/logs/', '/logspaces'].map(withoutBase)).toEqual([
    '/search',
    '/',
    '/logspaces',
  ]);
});
