/** Leads from a row of a table to a search for the messages behind it. */
import type { QueryEdit } from '../../api/model';
import type { TimeRange } from '../../ui/range';
import type { Shape } from './shape';
import type { Cell, Table } from './queries';

export type CellPlace = { row: readonly Cell[]; column: number };
/** The change to the query, and the new range. */
export type Drill = { edits: readonly QueryEdit[]; range?: TimeRange };

/** The same table, restricted to the messages that have this value, or to those that do not. */
export function narrowed(table: Table, place: CellPlace, exclude: boolean): Drill | null {
  const edit = valueOf(table, place, exclude);
  return edit === null ? null : { edits: [edit] };
}

/** The same table for only this span of time. */
export function zoomed(start: Cell | undefined, spanMs: number | null): Drill | null {
  const range = spanRange(start, spanMs);
  return range === undefined ? null : { edits: [{ op: 'set_range' }], range };
}

/** The messages that a row counts: those of the table that have the values of these groups. */
export function messagesOf(
  table: Table,
  shape: Shape,
  row: readonly Cell[],
  groups: readonly number[],
  spanMs: number | null,
): Drill | null {
  // A value that no search can express would be left out, and the search would find more than the row counts.
  if (groups.length === 0 || !groups.every((column) => shape.searchable.has(column))) return null;
  const edits: QueryEdit[] = [{ op: 'messages' }];
  let range: TimeRange | undefined;
  for (const column of groups) {
    if (table.columns[column]?.kind === 'time') {
      range = spanRange(row[column], spanMs);
      if (range === undefined) return null;
      edits.push({ op: 'set_range' });
    } else {
      const edit = valueOf(table, { row, column }, false);
      if (edit === null) return null;
      edits.push(edit);
    }
  }
  return range === undefined ? { edits } : { edits, range };
}

/** A row without a value stands for the messages that lack the field. */
function valueOf(table: Table, { row, column }: CellPlace, exclude: boolean): QueryEdit | null {
  const { name: field, kind } = table.columns[column] ?? {};
  const value = row[column];
  if (field === undefined || value === undefined || kind === 'time') return null;
  const op = exclude ? 'exclude' : 'include';
  return value === null ? { op, field } : { op, field, value: String(value) };
}

function spanRange(start: Cell | undefined, spanMs: number | null): TimeRange | undefined {
  const at = typeof start === 'string' ? Date.parse(start) : NaN;
  if (Number.isNaN(at) || spanMs === null) return undefined;
  return {
    kind: 'between',
    from: new Date(at).toISOString(),
    to: new Date(at + spanMs).toISOString(),
  };
}
