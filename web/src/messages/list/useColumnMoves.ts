/** Columns that are moved: dragged by their heads, or with Alt and the arrow keys while a head has the focus. */
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';

type Props = {
  columns: readonly string[];
  /** `to` is the column whose place it takes; undefined beyond the last one. */
  onMove: (column: string, to: string | undefined) => void;
};

export function useColumnMoves({ columns, onMove }: Props) {
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const moved = useRef<HTMLElement | null>(null);
  const order = columns.join();
  // An element that changes its place in the page loses the focus.
  useLayoutEffect(() => {
    moved.current?.focus();
    moved.current = null;
  }, [order]);
  const end = () => {
    setDragged(null);
    setOver(null);
  };
  const by = (column: string, step: -1 | 1) => {
    const to = columns[columns.indexOf(column) + step];
    if (to !== undefined) onMove(column, to);
  };
  return {
    by,
    /** For the cell of the head, on which another column can be dropped. */
    place: (column: string) => ({
      'data-over': over === column && dragged !== column,
      onDragOver: (event: { preventDefault: () => void }) => {
        if (dragged === null) return;
        event.preventDefault();
        setOver(column);
      },
      onDrop: () => {
        if (dragged !== null && dragged !== column) onMove(dragged, column);
        end();
      },
    }),
    /** For what is dragged. */
    grip: (column: string) => ({
      draggable: true,
      onDragStart: () => setDragged(column),
      onDragEnd: end,
    }),
    /** For what has the focus. */
    onKeyDown: (column: string) => (event: KeyboardEvent<HTMLElement>) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!event.altKey || (step !== -1 && step !== 1)) return;
      // The browser would go back in its history.
      event.preventDefault();
      event.stopPropagation();
      moved.current = event.currentTarget;
      by(column, step);
    },
  };
}
