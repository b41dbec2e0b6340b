/**
 * The widths of a table's columns, which are fixed so that they do not change while its rows are
 * scrolled.
 */
import type { Cell, Table } from './queries';

const LOOKED_AT = 500;
const CHARACTER = 7.3;
const CHARACTERS_MIN = 6;
const CHARACTERS_MAX = 56;
const PADDING = 34;
/** The width of the button after a text. */
const MENU = 24;
/** The room next to the name of a column for the arrow of its order. */
const ARROW_CHARACTERS = 3;
/**
 * The minimum width of numbers: they have a bar behind them, which needs some length for
 * comparisons.
 */
const NUMBER_MIN = 112;

/** The width of the text after times that are only partly known. */
export const PARTIAL = 64;

/** The widths in pixels, by the longest of the first values and by the head. */
export function columnWidths(
  { columns, rows }: Table,
  textOf: (cell: Cell, at: number) => string,
): number[] {
  const looked = rows.slice(0, LOOKED_AT);
  return columns.map((column, at) => {
    const longest = looked.reduce(
      (most, row) => Math.max(most, textOf(row[at] ?? null, at).length),
      column.name.length + ARROW_CHARACTERS,
    );
    const characters = Math.min(CHARACTERS_MAX, Math.max(CHARACTERS_MIN, longest));
    const width = Math.ceil(characters * CHARACTER) + PADDING;
    return column.kind === 'number' ? Math.max(NUMBER_MIN, width) : width + MENU;
  });
}
