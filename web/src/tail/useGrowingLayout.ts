/** The layout of a tail's rows. Columns grow while the first lines come, and hold still afterwards. */
import { useState } from 'react';
import { useOrdered } from '../messages/list/lineOrder';
import { rowLayoutFor } from '../messages/list/useRowLayout';
import type { Hits } from '../ui/highlight';
import { type Column, type RowLayout, nothingCommon } from '../ui/message/rowLayout';
import type { Line } from './buffer';

const LOOKED_AT = 500;

export function useGrowingLayout(lines: readonly Line[], hits: Hits, columns: readonly string[]) {
  const [known, setKnown] = useState<{ lines: number; layout: RowLayout | null }>({
    lines: 0,
    layout: null,
  });
  // Looking again pays with twice the lines: that is a dozen times in all, however many come.
  const kept = lines.length < 2 * known.lines ? known.layout : null;
  const layout =
    kept ?? grown(known.layout, rowLayoutFor(newestOf(lines), hits, columns, nothingCommon));
  if (kept === null && lines.length > 0) setKnown({ lines: lines.length, layout });
  return useOrdered(layout);
}

/** The look once more rows are known: no column becomes narrower, and none goes away. */
export function grown(before: RowLayout | null, now: RowLayout): RowLayout {
  if (before === null) return now;
  return {
    order: now.order,
    profile: now.profile,
    host: grownColumn(before.host, now.host),
    program: grownColumn(before.program, now.program),
    logspace: before.logspace === null ? now.logspace : grownColumn(before.logspace, now.logspace),
  };
}

function grownColumn(before: Column, now: Column | null): Column {
  return {
    ch: Math.max(before.ch, now?.ch ?? 0),
    only: now?.only === before.only ? before.only : null,
  };
}

function newestOf(lines: readonly Line[]) {
  const newest = lines.slice(-LOOKED_AT).toReversed();
  return newest.flatMap((line) => (line.kind === 'message' ? [line.message] : []));
}
