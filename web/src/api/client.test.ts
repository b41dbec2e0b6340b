import { afterEach, expect, test, vi } from 'vitest';
import {
  ApiError,
  client,
  isRefusal,
  listenForSessionLoss,
  rememberCsrfToken,
  unwrap,
} from './client';
import type { Session } from './model';

afterEach(() => vi.unstubAllGlobals());

/** Answers every request, and records the requests. */
function serve(text: string | null, init: ResponseInit = {}): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    asked.push(request);
    return Promise.resolve(new Response(text, init));
  });
  return asked;
}

const answer = (status: number, error?: unknown, headers = {}, url = 'http://x/api/v1/search') => {
  const response = new Response(null, { status, headers });
  Object.defineProperty(response, 'url', { value: url });
  return Promise.resolve({ error, response });
};

const failure = (promise: Promise<unknown>) => promise.then(() => null).catch((e: unknown) => e);

test('a problem is thrown with all that it says', async () => {
  const problem = { title: 'Bad Request', status: 400, detail: 'no such field', column: 9 };
  const error = await failure(unwrap(answer(400, problem)));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ message: 'no such field', status: 400, problem });
  expect(isRefusal(error)).toBe(true);
});

test('an answer that is not a problem document still says something', async () => {
  const error = await failure(unwrap(answer(502, '<html>Bad Gateway</html>')));
  expect(error).toMatchObject({ status: 502 });
  expect(isRefusal(error)).toBe(false);
});

test('a failure has the id of its request, from the problem or from the header', async () => {
  const problem = { title: 'Internal Server Error', status: 500, request_id: 'one' };
  expect(await failure(unwrap(answer(500, problem)))).toMatchObject({ requestId: 'one' });
  const headers = { 'X-Request-Id': 'two' };
  expect(await failure(unwrap(answer(502, '', headers)))).toMatchObject({ requestId: 'two' });
  expect(await failure(unwrap(answer(502, '')))).toMatchObject({ requestId: undefined });
});

test('a server that is away is not a refusal', async () => {
  const error = await failure(unwrap(Promise.reject(new TypeError('fetch failed'))));
  expect(error).toMatchObject({ status: 0 });
  expect(isRefusal(error)).toBe(false);
});

test('a cancelled request stays a cancelled request', async () => {
  const aborted = new DOMException('stopped', 'AbortError');
  expect(await failure(unwrap(Promise.reject(aborted)))).toBe(aborted);
});

test('a lost session is reported once it is lost, and a wrong password is not a lost session', async () => {
  const lost = vi.fn();
  listenForSessionLoss(lost);
  await failure(unwrap(answer(401, undefined, {}, 'http://x/api/v1/session')));
  expect(lost).not.toHaveBeenCalled();
  const program = { title: 'Unauthorized', status: 401, detail: 'send an API token' };
  const error = await failure(unwrap(answer(401, program)));
  expect(lost).toHaveBeenCalledOnce();
  expect(error).toMatchObject({ message: 'The session has ended: sign in to continue.' });
});

test('the time to wait before another attempt is kept', async () => {
  const error = await failure(unwrap(answer(429, undefined, { 'Retry-After': '30' })));
  expect(error).toMatchObject({ retryAfterSeconds: 30 });
});

test('an address is filled in', async () => {
  const asked = serve('{}');
  const path = { source: 'a/b', host: 'ü ?' };
  await client.GET('/api/v1/senders/{source}/{host}/frames', { params: { path } });
  const query = { from: '-1 h', step: '1h' as const };
  await client.GET('/api/v1/flow', { params: { query } });
  await client.GET('/api/v1/about');
  expect(asked.map(({ url }) => url)).toEqual([
    'http://localhost:3000/api/v1/senders/a%2Fb/%C3%BC%20%3F/frames',
    'http://localhost:3000/api/v1/flow?from=-1+h&step=1h',
    'http://localhost:3000/api/v1/about',
  ]);
});

test('a body is sent as JSON, or as the text that it is; changes carry the token of the session', async () => {
  const asked = serve('{}');
  rememberCsrfToken({ csrf_token: 'secret' } as Session);
  await client.POST('/api/v1/count', { body: { query: 'a' } });
  const toml = 'version = 1' as never;
  const headers = { 'Content-Type': 'application/toml' };
  await client.POST('/api/v1/router/validate', { body: toml, headers });
  await client.GET('/api/v1/about');
  const seen = await Promise.all(
    asked.map(async (request) => [
      request.method,
      request.headers.get('Content-Type'),
      request.headers.get('X-CSRF-Token'),
      await request.text(),
    ]),
  );
  expect(seen).toEqual([
    ['POST', 'application/json', 'secret', '{"query":"a"}'],
    ['POST', 'application/toml', 'secret', 'version = 1'],
    ['GET', null, null, ''],
  ]);
});

test('an answer is read as what it is', async () => {
  serve('{"count":3}');
  expect(await unwrap(client.POST('/api/v1/count', { body: {} }))).toEqual({ count: 3 });
  serve(null, { status: 204 });
  const gone = await client.DELETE('/api/v1/session');
  expect(gone).not.toHaveProperty('error');
  expect(gone.data).toBeUndefined();
  serve('version = 1');
  const report = client.GET('/api/v1/support-report', { parseAs: 'text' });
  expect(await unwrap(report)).toBe('version = 1');
});

test('a page of a proxy is no answer, and does not say that the server is away', async () => {
  serve('<html>Please sign in</html>');
  const error = await failure(unwrap(client.GET('/api/v1/about')));
  expect(error).toMatchObject({ status: 502 });
  serve('<html>Bad Gateway</html>', { status: 504 });
  expect(await failure(unwrap(client.GET('/api/v1/about')))).toMatchObject({
    status: 504,
    problem: { detail: '<html>Bad Gateway</html>' },
  });
});

test('the compiler knows paths, parameters, bodies and answers', () => {
  serve('{}');
  const wrong = [
    // @ts-expect-error there is no such path
    () => client.GET('/api/v1/nothing'),
    // @ts-expect-error it is only deleted
    () => client.GET('/api/v1/users/{name}/totp', { params: { path: { name: 'a' } } }),
    // @ts-expect-error a body is needed
    () => client.POST('/api/v1/count'),
    // @ts-expect-error the query is a text
    () => client.POST('/api/v1/count', { body: { query: 1 } }),
    // @ts-expect-error the name is needed
    () => client.DELETE('/api/v1/users/{name}/totp'),
    // @ts-expect-error so is the header
    () => client.PUT('/api/v1/router', { params: {}, body: {} as never }),
    // @ts-expect-error the answer is a number
    async (): Promise<string> => (await unwrap(client.POST('/api/v1/count', { body: {} }))).count,
    // @ts-expect-error it is asked as a text
    (): Promise<object> => unwrap(client.GET('/api/v1/support-report', { parseAs: 'text' })),
  ];
  expect(wrong).toHaveLength(8);
});
