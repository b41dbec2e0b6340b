/** A table as text for pasting. Values are exact, and not formatted as in the view. */
import type { Cell, Table } from './queries';

/** RFC 4180, which spreadsheets can open. */
export function toCsv({ columns, rows }: Table): string {
  const line = (cells: readonly Cell[]) => `${cells.map(csvCell).join(',')}\r\n`;
  return [columns.map(({ name }) => name), ...rows].map(line).join('');
}

/** The format for tickets and wikis. */
export function toMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map(markdownCell).join(' | ')} |\n`;
  const rule = columns.map(({ kind }) => (kind === 'number' ? '---:' : '---'));
  return [columns.map(({ name }) => name), rule, ...rows].map(line).join('');
}

function csvCell(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function markdownCell(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  return text.replaceAll(/[\\|`*_<>[\]]/gu, '\\$&').replaceAll(/\s*[\r\n]+\s*/gu, ' ');
}
