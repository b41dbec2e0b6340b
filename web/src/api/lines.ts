/** Reads an answer line by line as it arrives; each line is a JSON value. */
import { under } from '../base';
import { csrfHeaders, cutOff, networkError, throwRefusal } from './client';

/**
 * Posts `body` and yields the lines of the answer. Ends early, without an error, when `signal` is aborted. `accept` is
 * for addresses that can answer in one piece too.
 */
export async function* postLines<Line>(
  path: string,
  body: unknown,
  signal: AbortSignal,
  accept?: string,
): AsyncGenerator<Line> {
  const headers = {
    'Content-Type': 'application/json',
    ...(accept !== undefined && { Accept: accept }),
    ...csrfHeaders(),
  };
  const response = await fetch(under(path), {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal,
  }).catch(networkError);
  if (!response.ok || response.body === null) return throwRefusal(response);
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(broken);
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
  }
  if (rest !== '') yield JSON.parse(rest) as Line;
}

function broken(error: unknown): never {
  throw error instanceof DOMException && error.name === 'AbortError' ? error : cutOff();
}
