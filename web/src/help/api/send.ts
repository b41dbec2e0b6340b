/**
 * Sends a read request with the browser's session, and keeps only as much of a long answer as can
 * be shown.
 */
import { under } from '../../base';

const SHOWN_BYTES_MAX = 262_144;

export type TryOutcome = {
  status: number;
  took_ms: number;
  bytes: number;
  /** Whether the rest was not read. */
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

/**
 * Formats JSON for reading; anything else, including text that is only declared as JSON, stays as
 * it is.
 */
export function pretty(text: string, type: string): string {
  if (!/^application\/(problem\+)?json/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
