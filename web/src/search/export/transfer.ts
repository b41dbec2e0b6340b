/**
 * Transfers an export from the server to a file. A truncated export never looks complete: it is
 * discarded and reported.
 */
import { ApiError, networkError, throwRefusal } from '../../api/client';
import { under } from '../../base';
import { type Format, isColumnar } from './choice';

/** The destination of the bytes. `keep` completes the file, `discard` leaves no trace of it. */
export type Sink = {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  keep: (name: string) => Promise<void>;
  discard: () => Promise<void>;
};

export type Progress = { rows: number; rowsMax: number | null; bytes: number };

/** Returns the number of bytes and rows written. Throws an `AbortError` if `signal` is aborted. */
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
  return throwRefusal(response);
}

async function pour(
  response: Response,
  format: Format,
  sink: Sink,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  if (isColumnar(format)) return pourColumns(response, format, sink, onProgress);
  const count = rowCounter(format);
  let progress: Progress = { rows: 0, rowsMax: toldCount(response), bytes: 0 };
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

/** Its rows are known only at the end, which a file that was cut off lacks. */
async function pourColumns(
  response: Response,
  format: Format,
  sink: Sink,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  let progress: Progress = { rows: 0, rowsMax: null, bytes: 0 };
  let last: number[] = [];
  onProgress(progress);
  const reader = response.body?.getReader();
  for (;;) {
    const read = await reader?.read().catch(cutOff);
    if (read?.value === undefined) break;
    await sink.write(read.value);
    last = [...last, ...read.value.slice(-END_BYTES)].slice(-END_BYTES);
    progress = { ...progress, bytes: progress.bytes + read.value.length };
    onProgress(progress);
  }
  const end = format === 'arrow' ? ARROW_END : PARQUET_END;
  if (!end.every((byte, at) => last[last.length - end.length + at] === byte)) cutOff(null);
  return { ...progress, rows: toldCount(response) ?? 0 };
}

function toldCount(response: Response): number | null {
  const told = Number.parseInt(response.headers.get('X-Logstead-Count') ?? '', 10);
  return Number.isNaN(told) ? null : told;
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

/** The name that the server gave the file, or a name of our own. */
export function fileName(response: Response, format: Format): string {
  const told = /filename="([\w.-]+)"/u.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  return told ?? `logstead.${format}`;
}

const ARROW_END: readonly number[] = [255, 255, 255, 255, 0, 0, 0, 0];
/** `PAR1` */
const PARQUET_END: readonly number[] = [80, 65, 82, 49];
const END_BYTES = 8;

const LINE_FEED = 10;
const QUOTE = 34;

export type RowCounter = (bytes: Uint8Array) => number;

/**
 * Each call returns the number of rows so far. In `csv`, a quoted line feed does not end a row, and
 * the first row has the column names.
 */
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

/** Whether rows can be counted exactly: in some formats, a message can contain line feeds. */
export function countsExactly(format: Format): boolean {
  return format !== 'raw';
}
