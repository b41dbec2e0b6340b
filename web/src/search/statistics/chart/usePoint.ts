/** The point of a plot that the pointer is over or that the arrow keys have reached. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import type { Plot, Point } from '../pivot';
import { type Frame, boxOf, nextPoint, pointUnder } from './frame';
import type { Box } from './layout';

/** A point was chosen, at a place in the window. */
export type ChoosePoint = (point: Point, at: Box) => void;

export function usePoint(plot: Plot, frame: Frame, onChoose: ChoosePoint) {
  const [marked, setMarked] = useState<number | null>(null);
  const [isSpoken, setSpoken] = useState(false);
  const count = plot.points.length;
  const point = marked === null ? undefined : plot.points[marked];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = nextPoint(event.key, marked, count);
    if (next !== null) {
      event.preventDefault();
      setSpoken(true);
      setMarked(next);
    } else if ((event.key === 'Enter' || event.key === ' ') && point !== undefined) {
      event.preventDefault();
      const { left, top } = event.currentTarget.getBoundingClientRect();
      const box = boxOf(frame, marked ?? 0);
      onChoose(point, { ...box, left: left + box.left, top: top + box.top });
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
    onClick: ({ clientX, clientY }: { clientX: number; clientY: number }) => {
      if (point !== undefined) {
        onChoose(point, { left: clientX, top: clientY, width: 0, height: 0 });
      }
    },
  };
  return { marked: point === undefined ? null : marked, isSpoken, handlers };
}
