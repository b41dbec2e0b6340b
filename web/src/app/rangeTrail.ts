/** The ranges that were looked at in this tab. Here, not in a component, for it outlives the pages. */
import { useEffect, useSyncExternalStore } from 'react';
import type { TimeRange } from '../ui/range';
import { type Trail, walked } from './scope';

let trail: Trail = [];
const listeners = new Set<() => void>();

/** The trail with `range`, however it came to be shown, at its end. */
export function useRangeTrail(range: TimeRange): Trail {
  const walkedSoFar = useSyncExternalStore(listen, () => trail);
  const key = JSON.stringify(range);
  useEffect(() => {
    const next = walked(trail, range);
    if (next === trail) return;
    trail = next;
    for (const listener of listeners) listener();
    // The key's text stands for the range, which is a new object every time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key]);
  return walkedSoFar;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
