/** The path of a small line chart. */
import type { Sample } from '../api/status';

/** The time that the full width represents. */
export const SPAN_MS = 300_000;
const PAD = 2;

/** The newest sample is at the right edge, and the greatest rate touches the top. */
export function linePath(
  samples: readonly Sample[],
  width: number,
  height: number,
): { line: string; area: string } {
  const newest = samples.at(-1);
  if (newest === undefined) return { line: '', area: '' };
  const top = Math.max(1, ...samples.map(({ rate }) => rate));
  const points = samples
    .filter(({ at }) => newest.at - at <= SPAN_MS)
    .map(({ at, rate }) => ({
      x: round(width - ((newest.at - at) / SPAN_MS) * width),
      y: round(height - PAD - (rate / top) * (height - 2 * PAD)),
    }));
  const line = points.map(({ x, y }, n) => `${n === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const first = points[0]?.x ?? 0;
  return { line, area: `${line}L${width} ${height}L${first} ${height}Z` };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
