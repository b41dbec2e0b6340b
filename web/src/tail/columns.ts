/** How wide the columns of a tail are: as what is in them, so that rows stand below each other and nothing is wasted. */
import type { Line } from './buffer';

const CHARACTERS_MIN = 7;
const CHARACTERS_MAX = 22;
/** Of the values, this part fits; the few that are longer are cut. */
const SHARE = 0.9;
const LOOKED_AT = 500;

export type Widths = { host: number; program: number };

/** In characters. */
export function widthsOf(lines: readonly Line[]): Widths {
  const messages = lines
    .slice(-LOOKED_AT)
    .flatMap((line) => (line.kind === 'message' ? [line.message] : []));
  return {
    host: fitting(messages.map(({ host }) => host.length)),
    program: fitting(messages.map(({ program, pid }) => program.length + pidLength(pid))),
  };
}

function pidLength(pid: string): number {
  return pid === '' ? 0 : pid.length + 2;
}

function fitting(lengths: number[]): number {
  lengths.sort((a, b) => a - b);
  const fits = lengths[Math.ceil(lengths.length * SHARE) - 1] ?? 0;
  return Math.min(CHARACTERS_MAX, Math.max(CHARACTERS_MIN, fits));
}
