/** The room of a list for its rows: in little room rows are drawn differently. */
import { type RefObject, useLayoutEffect, useState } from 'react';

export type Room = 'narrow' | 'compact' | 'wide';

const NARROW_PX = 480;
const COMPACT_PX = 900;

export function useRoom(element: RefObject<HTMLElement | null>): Room {
  const [room, setRoom] = useState<Room>('wide');
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setRoom(roomOf(entry.contentRect.width));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return room;
}

/** An element without a width yet counts as wide. */
function roomOf(px: number): Room {
  if (px > 0 && px < NARROW_PX) return 'narrow';
  return px > 0 && px < COMPACT_PX ? 'compact' : 'wide';
}
