/** The lines of a tail as rows: what says the same, one after the other, is one row with the newest of it. */
import { REPEATS_MIN, shapeOf } from '../messages/list/folds';
import type { Fold } from '../ui/message/Repeats';
import type { Line } from './buffer';

/** Its key is that of the first line behind it: it stays while more comes. */
export type Row = Line & { fold?: Fold };

type MessageLine = Extract<Line, { kind: 'message' }>;

/** `before` are the rows of the lines before, of which those that are still the same are kept. */
export function rowsOf(
  lines: readonly Line[],
  expanded: ReadonlySet<number>,
  before: readonly Row[],
): readonly Row[] {
  const known = new Map(before.flatMap((row) => (row.fold === undefined ? [] : [[row.key, row]])));
  const rows: Row[] = [];
  const add = (line: MessageLine, key: number, times: number, isExpanded: boolean) => {
    if (times === 1) {
      rows.push(line);
      return;
    }
    const row = { ...line, key, fold: { times, isExpanded } };
    const last = known.get(key);
    rows.push(last !== undefined && isSame(last, row) ? last : row);
  };
  for (let at = 0; at < lines.length;) {
    const first = lines[at];
    if (first === undefined) break;
    if (first.kind === 'note') {
      rows.push(first);
      at += 1;
      continue;
    }
    const end = endOfRun(lines, at, shapeOf(first.message));
    const run = lines.slice(at, end).filter((line) => line.kind === 'message');
    const isRun = run.length >= REPEATS_MIN;
    const isExpanded = expanded.has(first.key);
    if (isRun && !isExpanded) add(run.at(-1) ?? first, first.key, run.length, false);
    else
      run.forEach((line, nth) => add(line, line.key, isRun && nth === 0 ? run.length : 1, isRun));
    at = end;
  }
  return rows;
}

function endOfRun(lines: readonly Line[], from: number, shape: string): number {
  let end = from + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end];
    if (line?.kind !== 'message' || shapeOf(line.message) !== shape) break;
  }
  return end;
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
