/** The columns of the table: which, in what order, and how wide. */

/** Widths in pixels by field name; a field without an entry has its default width. */
export type Widths = Readonly<Record<string, number>>;

export const COLUMN_PX_MIN = 48;
export const COLUMN_PX_MAX = 1_600;

const FIRST_PX: Widths = { host: 144, program: 176, severity: 92, message: 480, raw: 480, pid: 72 };
const OTHER_PX = 136;

export function widthOf(field: string, widths: Widths): number {
  return widths[field] ?? FIRST_PX[field] ?? OTHER_PX;
}

export function withWidth(widths: Widths, field: string, px: number): Widths {
  return { ...widths, [field]: bounded(px) };
}

export function withoutWidth(widths: Widths, field: string): Widths {
  return Object.fromEntries(Object.entries(widths).filter(([name]) => name !== field));
}

/**
 * The grid tracks of a row after severity and time. The text, or else the last column, takes the
 * remaining space.
 */
export function tracks(columns: readonly string[], widths: Widths): string {
  const growing = columns.includes('message') ? 'message' : columns.at(-1);
  return columns
    .map((field) => {
      const px = widthOf(field, widths);
      return field === growing ? `minmax(${px}px, 1fr)` : `${px}px`;
    })
    .join(' ');
}

/**
 * The columns with one of them moved to another position; invalid positions leave them unchanged.
 */
export function moved(columns: readonly string[], field: string, to: number): string[] {
  const from = columns.indexOf(field);
  if (from === -1 || to < 0 || to >= columns.length) return [...columns];
  const others = columns.filter((column) => column !== field);
  return [...others.slice(0, to), field, ...others.slice(to)];
}

/**
 * Adds the field if it is not a column, and removes it otherwise. A new one is inserted before the
 * text, which takes all remaining space.
 */
export function toggled(columns: readonly string[], field: string): string[] {
  if (columns.includes(field)) return columns.filter((column) => column !== field);
  if (columns.at(-1) === 'message') return [...columns.slice(0, -1), field, 'message'];
  return [...columns, field];
}

function bounded(px: number): number {
  return Math.round(Math.min(Math.max(px, COLUMN_PX_MIN), COLUMN_PX_MAX));
}
