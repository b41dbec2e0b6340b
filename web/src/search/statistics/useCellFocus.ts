/** The arrow keys go from cell to cell of a table of buttons, which is one stop of the Tab key. */
import { type KeyboardEvent, useState } from 'react';

export type CellAt = { row: number; column: number };

export function useCellFocus(rows: number, columns: number) {
  const [at, setAt] = useState<CellAt>({ row: 0, column: 0 });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = nextCell(event.key, at, rows, columns);
    const cells = event.currentTarget;
    const cell =
      next && cells.querySelector<HTMLElement>(`[data-cell="${next.row}-${next.column}"]`);
    if (!(event.target instanceof HTMLElement) || event.target.dataset['cell'] === undefined)
      return;
    if (next === null || cell === null) return;
    event.preventDefault();
    cell.focus();
  };
  const propsOf = (row: number, column: number) => ({
    'data-cell': `${row}-${column}`,
    tabIndex: row === at.row && column === at.column ? 0 : -1,
    onFocus: () => setAt({ row, column }),
  });
  return { onKeyDown, propsOf };
}

export function nextCell(key: string, at: CellAt, rows: number, columns: number): CellAt | null {
  const { row, column } = at;
  switch (key) {
    case 'ArrowDown':
      return { row: Math.min(rows - 1, row + 1), column };
    case 'ArrowUp':
      return { row: Math.max(0, row - 1), column };
    case 'ArrowRight':
      return { row, column: Math.min(columns - 1, column + 1) };
    case 'ArrowLeft':
      return { row, column: Math.max(0, column - 1) };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: columns - 1 };
    default:
      return null;
  }
}
