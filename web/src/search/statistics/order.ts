/** The order of the rows of a table, as chosen by clicks on its column heads. */
import type { Cell, Column } from './queries';

export type RowOrder = { column: number; descending: boolean };

const severities = ['debug', 'info', 'notice', 'warning', 'err', 'crit', 'alert', 'emerg'];
const texts = new Intl.Collator('en', { numeric: true });

/** Rows without a value come last in both directions; equal rows keep their order. */
export function sorted(
  rows: readonly Cell[][],
  columns: readonly Column[],
  order: RowOrder | null,
): readonly Cell[][] {
  const column = order === null ? undefined : columns[order.column];
  if (order === null || column === undefined) return rows;
  const sign = order.descending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a = null, b = null] = [one[order.column], other[order.column]];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * compare(a, b, column);
  });
}

/**
 * The order after a click on a head: numbers begin with the greatest, texts with the first, a third click undoes it.
 */
export function nextOrder(
  order: RowOrder | null,
  column: number,
  { kind }: Column,
): RowOrder | null {
  const first = kind === 'number';
  if (order?.column !== column) return { column, descending: first };
  return order.descending === first ? { column, descending: !first } : null;
}

function compare(a: string | number, b: string | number, { kind }: Column): number {
  if (kind === 'severity') return severityRank(String(a)) - severityRank(String(b));
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return texts.compare(String(a), String(b));
}

/**
 * The rank of a severity, beginning with `debug`, the least urgent; unknown names come before it.
 */
export function severityRank(name: string | undefined): number {
  return name === undefined ? -1 : severities.indexOf(name);
}
