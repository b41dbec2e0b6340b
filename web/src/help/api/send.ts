/** Sends a read with the session of the browser, and keeps no more of a long answer than can be looked at. */
import { under } from '../../base';

const SHOWN_BYTES_MAX = 262_144;

export type TryOutcome = {
  status: number;
  took_ms: number;
  bytes: number;
  /** Whether the rest was left on the server. */
  isCut: boolean;
  text: string;
};

export async function send(address: string, signal: AbortSignal): Promise<TryOutcome> {
  const begun = performance.now();
  const response = await fetch(under(address), { signal });
  const { bytes, isCut, text } = await readSome(response);
  return {
    status: response.status,
    took_ms: performance.now() - begun,
    bytes,
    isCut,
    text: isCut ? text : pretty(text, response.headers.get('Content-Type') ?? ''),
  };
}

async function readSome(response: Response) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
    if (bytes <= SHOWN_BYTES_MAX) continue;
    await reader.cancel();
    return { bytes, isCut: true, text: text.slice(0, SHOWN_BYTES_MAX) };
  }
  return { bytes, isCut: false, text };
}

/** JSON as it is easy to read; anything else, and what only says that it is JSON, as it came. */
export function pretty(text: string, type: string): string {
  if (!/^application\/(problem\+)?json/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
