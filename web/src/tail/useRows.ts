/** The rows of a tail, with those folded that say the same as far as its reader wants it. */
import { useCallback, useState } from 'react';
import { toggledIn } from '../messages/list/folds';
import { useFolding } from '../messages/list/useFolding';
import type { Line } from './buffer';
import { type Row, rowsOf } from './rows';

type Known = { lines: readonly Line[]; expanded: ReadonlySet<number>; rows: readonly Row[] };

const nothing: Known = { lines: [], expanded: new Set(), rows: [] };

export function useRows(lines: readonly Line[]) {
  const [isFolding] = useFolding();
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(nothing.expanded);
  const [known, setKnown] = useState(nothing);
  const toggle = useCallback((key: number) => setExpanded((before) => toggledIn(before, key)), []);
  if (!isFolding) return { rows: lines as readonly Row[], toggle };
  if (known.lines === lines && known.expanded === expanded) return { rows: known.rows, toggle };
  const rows = rowsOf(lines, expanded, known.rows);
  setKnown({ lines, expanded, rows });
  return { rows, toggle };
}
