/**
 * The lines of a tail as rows: consecutive repeats become one row, which shows the newest of them.
 */
import { useState } from 'react';
import { REPEATS_MIN, runsOf, shapeOf, useExpanded } from '../messages/list/folds';
import type { Fold } from '../ui/message/Repeats';
import type { Line } from './buffer';

/**
 * A row. Its key is that of the first line that it stands for, so it does not change when more are
 * added.
 */
export type Row = Line & { fold?: Fold };

type Known = { lines: readonly Line[]; expanded: ReadonlySet<number>; rows: readonly Row[] };

const nothing: Known = { lines: [], expanded: new Set(), rows: [] };

export function useRows(lines: readonly Line[]) {
  const { isFolding, expanded, toggle } = useExpanded<number>();
  const [known, setKnown] = useState(nothing);
  if (!isFolding) return { rows: lines as readonly Row[], toggle };
  if (known.lines === lines && known.expanded === expanded) return { rows: known.rows, toggle };
  const rows = rowsOf(lines, expanded, known.rows);
  setKnown({ lines, expanded, rows });
  return { rows, toggle };
}

/** `before` are the previous rows; those that have not changed are kept. */
export function rowsOf(
  lines: readonly Line[],
  expanded: ReadonlySet<number>,
  before: readonly Row[],
): readonly Row[] {
  const known = new Map(before.flatMap((row) => (row.fold === undefined ? [] : [[row.key, row]])));
  const shapeOfLine = (line: Line) => (line.kind === 'message' ? shapeOf(line.message) : null);
  return runsOf(lines, shapeOfLine).flatMap((run): Row[] => {
    const [first] = run;
    if (first === undefined || run.length < REPEATS_MIN) return run;
    const isExpanded = expanded.has(first.key);
    const shown = isExpanded ? first : (run.at(-1) ?? first);
    const row = { ...shown, key: first.key, fold: { times: run.length, isExpanded } };
    const last = known.get(first.key);
    const head = last !== undefined && isSame(last, row) ? last : row;
    return isExpanded ? [head, ...run.slice(1)] : [head];
  });
}

function isSame(a: Row, b: Row): boolean {
  return (
    a.kind === 'message' &&
    b.kind === 'message' &&
    a.message === b.message &&
    a.fold?.times === b.fold?.times &&
    a.fold?.isExpanded === b.fold?.isExpanded
  );
}
