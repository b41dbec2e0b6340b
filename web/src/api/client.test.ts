import { expect, test, vi } from 'vitest';
import { ApiError, isRefusal, listenForSessionLoss, unwrap } from './client';

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
