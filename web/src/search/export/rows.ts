/** Counts the messages in a stream of bytes as they pass. */
import type { Format } from './choice';

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
