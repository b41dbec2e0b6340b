/** The list with what says the same folded, as far as its reader wants it. */
import { useCallback, useMemo, useState } from 'react';
import type { Message } from '../../api/model';
import { useFolding } from '../../messages/list/useFolding';
import { type Folded, foldedOf, toggledIn } from '../../messages/list/folds';

const nothing: Folded['folds'] = new Map();

export function useFolds(all: readonly Message[], open: string | null) {
  const [isFolding] = useFolding();
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const folded = useMemo(
    () => (isFolding ? foldedOf(all, expanded, open) : { messages: all, folds: nothing }),
    [all, expanded, open, isFolding],
  );
  const toggle = useCallback((id: string) => setExpanded((before) => toggledIn(before, id)), []);
  return { ...folded, toggle };
}
