/**
 * The counts to draw: those of a new search replace the old ones when they arrive, not when its
 * rows do.
 */
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { SearchState } from '../searchParams';
import { HOLD_MS } from './pending';
import type { Search } from './useSearch';

export type Counts = ReturnType<typeof useCounts>;

/**
 * The rows are what one waits for, and most counts are there a moment after them. Until then what was counted before
 * stays as it is, behind the rows beside it, and nothing of it has to be drawn twice.
 */
export function useCounts(state: SearchState, { key, summary, stale, countsError: error }: Search) {
  const newest = useMemo(
    () => ({ state, key, summary, stale, error }),
    [state, key, summary, stale, error],
  );
  const [shown, setShown] = useState(newest);
  const waits = stale || summary?.done === false;
  const [isLate] = useDebouncedValue(waits, HOLD_MS);
  // A refresh of the same search is shown at once, and if there were no counts before, there is nothing to keep.
  const isBehind = waits && !isLate && shown.key !== key && shown.summary !== undefined;
  if (!isBehind && shown !== newest) setShown(newest);
  return { ...(isBehind ? shown : newest), isBehind };
}
