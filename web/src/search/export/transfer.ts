/** Brings an export from the server to a file. A truncated export never looks whole: it is thrown away and reported. */
import { ApiError, networkError, readProblem, tellSessionLoss } from '../../api/client';
import { under } from '../../base';
import type { Format } from './choice';

/** The destination of the bytes. `keep` makes them a file, `discard` leaves no trace of them. */
export type Sink = {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  keep: (name: string) => Promise<void>;
  discard: () => Promise<void>;
};

export type Progress = { rows: number; rowsMax: number | null; bytes: number };

/** Returns what was written. Ends with an `AbortError` when `signal` is aborted. */
export async function transfer(
  path: string,
  format: Format,
  sink: Sink,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  try {
    const response = await ask(path, signal);
    const progress = await pour(response, format, sink, onProgress);
    checkWhole(progress, format);
    await sink.keep(fileName(response, format));
    return progress;
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

async function ask(path: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(under(path), { signal }).catch(networkError);
  if (response.ok && response.body !== null) return response;
  if (response.status === 401) tellSessionLoss();
  throw new ApiError(readProblem(await response.json().catch(() => undefined), response));
}

async function pour(
  response: Response,
  format: Format,
  sink: Sink,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  const count = rowCounter(format);
  const told = Number.parseInt(response.headers.get('X-Logstead-Count') ?? '', 10);
  let progress: Progress = { rows: 0, rowsMax: Number.isNaN(told) ? null : told, bytes: 0 };
  onProgress(progress);
  const reader = response.body?.getReader();
  for (;;) {
    const read = await reader?.read().catch(cutOff);
    if (read?.value === undefined) return progress;
    await sink.write(read.value);
    const bytes = progress.bytes + read.value.length;
    progress = { ...progress, rows: count(read.value), bytes };
    onProgress(progress);
  }
}

function checkWhole({ rows, rowsMax }: Progress, format: Format): void {
  if (rowsMax === null || rows === rowsMax || (!countsExactly(format) && rows > rowsMax)) return;
  cutOff(null);
}

function cutOff(error: unknown): never {
  if (error instanceof DOMException && error.name === 'AbortError') throw error;
  throw new ApiError({
    title: 'The export was cut off',
    status: 0,
    detail: 'The export was cut off before its end, so nothing was saved. Try again.',
  });
}

/** The name that the server gave; one of our own where it gave none. */
export function fileName(response: Response, format: Format): string {
  const told = /filename="([\w.-]+)"/u.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  return told ?? `logstead.${format}`;
}

const LINE_FEED = 10;
const QUOTE = 34;

export type RowCounter = (bytes: Uint8Array) => number;

/** Each call returns the rows so far. In `csv` a quoted line feed ends no row, and the first row is the heads. */
export function rowCounter(format: Format): RowCounter {
  let rows = format === 'csv' ? -1 : 0;
  let quoted = false;
  return (bytes) => {
    for (const byte of bytes) {
      if (byte === QUOTE && format === 'csv') quoted = !quoted;
      else if (byte === LINE_FEED && !quoted) rows += 1;
    }
    return Math.max(0, rows);
  };
}

/** Whether a message can have line feeds of its own, so that rows are not to be told apart. */
export function countsExactly(format: Format): boolean {
  return format !== 'raw';
}
