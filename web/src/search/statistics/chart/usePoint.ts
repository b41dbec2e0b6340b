/** The point of a plot that the pointer is over or that the arrow keys have reached. */
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useState } from 'react';
import type { Plot, Point } from '../pivot';
import { type Frame, boxOf, nextPoint, pointUnder } from './frame';
import type { Box } from './layout';

export type PointActions = {
  /** A point was chosen, at a place in the window. */
  onChoose: (point: Point, at: Box, exclude: boolean) => void;
  /** Opens the menu of a point. */
  onMenu: (point: Point, at: Box) => void;
};

export function usePoint(plot: Plot, frame: Frame, { onChoose, onMenu }: PointActions) {
  const [marked, setMarked] = useState<number | null>(null);
  const [isSpoken, setSpoken] = useState(false);
  const count = plot.points.length;
  const point = marked === null ? undefined : plot.points[marked];
  const boxIn = (element: HTMLElement): Box => {
    const { left, top } = element.getBoundingClientRect();
    const box = boxOf(frame, marked ?? 0);
    return { ...box, left: left + box.left, top: top + box.top };
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = nextPoint(event.key, marked, count);
    if (next !== null) {
      event.preventDefault();
      setSpoken(true);
      setMarked(next);
    } else if ((event.key === 'Enter' || event.key === ' ') && point !== undefined) {
      event.preventDefault();
      onChoose(point, boxIn(event.currentTarget), event.altKey);
    } else if (event.key === 'Escape') setMarked(null);
  };
  const handlers = {
    onKeyDown,
    onBlur: () => setMarked(null),
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const { left, top } = event.currentTarget.getBoundingClientRect();
      setSpoken(false);
      setMarked(pointUnder(frame, count, event.clientX - left, event.clientY - top));
    },
    onPointerLeave: () => setMarked(null),
    onClick: ({ clientX, clientY, altKey }: MouseEvent) => {
      if (point !== undefined) onChoose(point, placeOf(clientX, clientY), altKey);
    },
    // With the pointer and, at the marked point, with the key for menus.
    onContextMenu: (event: MouseEvent<HTMLElement>) => {
      if (point === undefined) return;
      event.preventDefault();
      const { clientX, clientY } = event;
      const isKey = event.button !== 2;
      onMenu(point, isKey ? boxIn(event.currentTarget) : placeOf(clientX, clientY));
    },
  };
  return { marked: point === undefined ? null : marked, isSpoken, handlers };
}

function placeOf(left: number, top: number): Box {
  return { left, top, width: 0, height: 0 };
}
