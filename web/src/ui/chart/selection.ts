/** The buckets of a chart that the keyboard has moved to and marked. Pure. */

/** `anchor` is the position at which marking began; null if nothing is marked. */
export type Cursor = { at: number; anchor: number | null };

/** The cursor after a key; null if the key has no meaning here. */
export function movedCursor(
  cursor: Cursor | null,
  key: string,
  isMarking: boolean,
  count: number,
): Cursor | null {
  const from = cursor?.at ?? count - 1;
  const at = targetOf(key, cursor === null ? null : from, count);
  if (at === null || count === 0) return null;
  const clamped = Math.min(Math.max(at, 0), count - 1);
  return { at: clamped, anchor: isMarking ? (cursor?.anchor ?? from) : null };
}

/** The first and the last marked bucket. */
export function spanOfCursor({ at, anchor }: Cursor): { first: number; last: number } {
  const other = anchor ?? at;
  return { first: Math.min(at, other), last: Math.max(at, other) };
}

const FAR = 10;

/** The first key only shows the cursor, at the newest bucket. */
function targetOf(key: string, from: number | null, count: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return from === null ? count - 1 : from - 1;
    case 'ArrowRight':
      return from === null ? count - 1 : from + 1;
    case 'PageUp':
      return (from ?? count - 1) - FAR;
    case 'PageDown':
      return (from ?? count - 1) + FAR;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
