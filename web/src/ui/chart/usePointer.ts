/** The mouse on the bars: dragging or a click zooms in, a double click zooms out. */
import { type PointerEvent, useRef } from 'react';
import { type Cursor, spanOfCursor } from './selection';

/** The minimum distance of a drag: a press that moves less is a click. */
const DRAG_PX = 4;
const DOUBLE_CLICK_MS = 240;

type PointerProps = {
  count: number;
  width: number;
  setCursor: (cursor: Cursor | null) => void;
  setHovered: (at: number | null) => void;
  zoomTo: (span: { first: number; last: number }) => void;
  onZoomOut: () => void;
};

export function usePointer({
  count,
  width,
  setCursor,
  setHovered,
  zoomTo,
  onZoomOut,
}: PointerProps) {
  const press = useRef<{ x: number; at: number; moved: boolean } | null>(null);
  const click = useRef<ReturnType<typeof setTimeout>>(undefined);
  const placeOf = (event: PointerEvent) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const at = Math.floor((x / Math.max(width, 1)) * count);
    return { x, at: Math.min(Math.max(at, 0), count - 1) };
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || count === 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      press.current = { ...placeOf(event), moved: false };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (count === 0) return;
      const { x, at } = placeOf(event);
      setHovered(at);
      const from = press.current;
      if (from === null) return;
      from.moved ||= Math.abs(x - from.x) >= DRAG_PX;
      if (from.moved) setCursor({ at, anchor: from.at });
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      const from = press.current;
      press.current = null;
      if (from === null) return;
      const { at } = placeOf(event);
      if (from.moved) {
        zoomTo(spanOfCursor({ at, anchor: from.at }));
        return;
      }
      // A first click may be half of a double click.
      clearTimeout(click.current);
      click.current = setTimeout(() => zoomTo({ first: at, last: at }), DOUBLE_CLICK_MS);
    },
    onPointerCancel: () => {
      press.current = null;
      setCursor(null);
    },
    onPointerLeave: () => setHovered(null),
    onDoubleClick: () => {
      clearTimeout(click.current);
      onZoomOut();
    },
  };
}
