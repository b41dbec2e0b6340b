/** From a row of a table to the search for what is behind it. */
import type { TimeRange } from '../../ui/range';
import { splitStages } from '../../ui/query/stages';
import { withClause } from '../../ui/query/edit';
import type { Shape } from './shape';
import type { Cell, Table } from './queries';

export type Place = { row: readonly Cell[]; column: number };
export type Ask = { query: string; range?: TimeRange };

/** The same table of only the messages that have this value, or of those that have not. */
export function narrowed(query: string, table: Table, place: Place, exclude: boolean): Ask | null {
  const { filter, stages } = splitStages(query);
  const next = clauseAdded(filter, table, place, exclude);
  return next === null ? null : { query: `${next} ${stages}`.trim() };
}

/** The messages that a row counts: the filter with the conditions of the stages and the values of these groups. */
export function messagesOf(
  query: string,
  table: Table,
  shape: Shape,
  row: readonly Cell[],
  groups: readonly number[],
  spanMs: number | null,
): Ask | null {
  // A value that no search can name would be left out, and more would be shown than the row counts.
  if (groups.length === 0 || !groups.every((column) => shape.searchable.has(column))) return null;
  const { filter } = splitStages(query);
  let text = shape.conditions.reduce(conditionAdded, filter.trim());
  let range: TimeRange | undefined;
  for (const column of groups) {
    if (table.columns[column]?.kind === 'time') {
      range = spanRange(row[column], spanMs);
      if (range === undefined) return null;
    } else {
      const next = clauseAdded(text, table, { row, column }, false);
      if (next === null) return null;
      text = next;
    }
  }
  return range === undefined ? { query: text } : { query: text, range };
}

function clauseAdded(
  filter: string,
  table: Table,
  { row, column }: Place,
  exclude: boolean,
): string | null {
  const { name, kind } = table.columns[column] ?? {};
  const value = row[column];
  if (name === undefined || value === undefined || kind === 'time') return null;
  if (value === null) return conditionAdded(filter, `${exclude ? '' : '-'}${fieldText(name)}:*`);
  return withClause(filter, fieldText(name), String(value), exclude);
}

function conditionAdded(filter: string, condition: string): string {
  if (filter === '' || filter === '*') return condition;
  return `${isChoice(filter) ? `(${filter})` : filter} ${isChoice(condition) ? `(${condition})` : condition}`;
}

function isChoice(text: string): boolean {
  return /(^|\s)(or|\|\|)(\s|$)/iu.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '""'));
}

function fieldText(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.@-]*$/u.test(name)
    ? name
    : `"${name.replaceAll(/["\\]/gu, '\\$&')}"`;
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
