/**
 * The range of a jump to a moment: the messages up to then, newest first, with the start of the range if it is before.
 */
import type { TimeRange } from '../../ui/range';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

export function endAt(range: TimeRange, moment: string, now: number): TimeRange {
  const start = startOf(range, now);
  const keeps = start !== null && !(Date.parse(start) >= Date.parse(moment));
  return { kind: 'between', from: keeps ? start : null, to: moment };
}

function startOf(range: TimeRange, now: number): string | null {
  switch (range.kind) {
    case 'last': {
      const unit = UNIT_MS[range.span.slice(-1)] ?? 0;
      return new Date(now - Number.parseInt(range.span, 10) * unit).toISOString();
    }
    case 'all':
      return null;
    case 'between':
      return range.from;
  }
}
