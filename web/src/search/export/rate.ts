/** The speed of an export, and the time that it still needs. */
import type { Progress } from './transfer';

export type ExportRate = {
  rowsPerSecond: number;
  bytesPerSecond: number;
  secondsLeft: number | null;
};

/**
 * The rate over the whole time since the beginning, so that it does not jump. Null before there is anything to judge
 * by.
 */
export function exportRateOf(
  { rows, rowsMax, bytes }: Progress,
  tookMs: number,
): ExportRate | null {
  if (tookMs < 500 || rows === 0) return null;
  const rowsPerSecond = (rows / tookMs) * 1000;
  return {
    rowsPerSecond,
    bytesPerSecond: (bytes / tookMs) * 1000,
    secondsLeft: rowsMax === null ? null : Math.max(0, (rowsMax - rows) / rowsPerSecond),
  };
}

/** `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
