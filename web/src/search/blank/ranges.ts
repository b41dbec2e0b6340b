/**
 * The ranges of time that the answers of the blank page compare. Pure, with the same text for the
 * same range.
 */
import {
  type RequestRange,
  type TimeRange,
  requestRange,
  shift,
  spanMs,
  spanOf,
} from '../../ui/range';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/**
 * The divisor of a short range: a host counts as silent if it sent nothing in the last sixth of it.
 */
const SILENT_PART = 6;

/** The range of the same length before a range; null if there is none. */
export function rangeBefore(range: TimeRange): RequestRange | null {
  const { timezone, from } = requestRange(range);
  const zone = timezone === undefined ? {} : { timezone };
  switch (range.kind) {
    case 'last': {
      const ms = spanMs(range.span);
      if (ms === null || from === undefined) return null;
      return { from: `-${spanOf(2 * ms)}`, to: from, ...zone };
    }
    case 'between':
      if (range.to === null) return null;
      return boundsOf(shift(range, -1, Date.now()));
    case 'all':
      return null;
  }
}

/** The time after which a host counts as silent; null if the range does not end now. */
export function silenceOf(range: TimeRange): string | null {
  if (range.kind === 'all') return '1h';
  if (range.kind === 'between') return null;
  const ms = spanMs(range.span);
  if (ms === null) return null;
  const part = Math.round(ms / SILENT_PART / MINUTE_MS) * MINUTE_MS;
  return spanOf(Math.min(HOUR_MS, Math.max(part, MINUTE_MS)));
}

function boundsOf(range: TimeRange | null): RequestRange | null {
  return range === null ? null : requestRange(range);
}
