/**
 * Moving columns: by dragging their headers, or with Alt and the arrow keys while a header has the
 * focus.
 */
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';

type Props = {
  columns: readonly string[];
  /** `to` is the column whose position it takes; undefined for the end. */
  onMove: (column: string, to: string | undefined) => void;
};

export function useColumnMoves({ columns, onMove }: Props) {
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const moved = useRef<HTMLElement | null>(null);
  const order = columns.join();
  // An element that moves in the document loses the focus.
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
    /** Props for the header cell, on which another column can be dropped. */
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
    /** Props for the element that is dragged. */
    grip: (column: string) => ({
      draggable: true,
      onDragStart: () => setDragged(column),
      onDragEnd: end,
    }),
    /** The key handler for the element that has the focus. */
    onKeyDown: (column: string) => (event: KeyboardEvent<HTMLElement>) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!event.altKey || (step !== -1 && step !== 1)) return;
      // Otherwise the browser would go back in its history.
      event.preventDefault();
      event.stopPropagation();
      moved.current = event.currentTarget;
      by(column, step);
    },
  };
}
