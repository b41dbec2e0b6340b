/** The columns of lines: the order that this browser keeps, the fields among them, and the tracks of their grid. */
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { type LinePart, type RowLayout, lineParts, shownParts } from '../../ui/message/rowLayout';
import { useBrowserState } from '../../ui/useBrowserState';
import { moved } from './columns';

export function useLineOrder() {
  const [kept, setOrder] = useBrowserState<readonly LinePart[]>({
    key: 'logstead-line-columns',
    defaultValue: lineParts,
  });
  const order = useMemo(() => readOrder(kept), [kept]);
  return [order, setOrder] as const;
}

/** The look with its columns in the reader's order. */
export function useOrdered(layout: RowLayout): RowLayout {
  const [order] = useLineOrder();
  return useMemo(() => ({ ...layout, order }), [layout, order]);
}

/** An order kept by another version is completed. */
export function readOrder(kept: readonly string[]): readonly LinePart[] {
  const known = kept.flatMap((name) => lineParts.find((part) => part === name) ?? []);
  const parts = [...new Set(known)];
  return [...parts, ...lineParts.filter((part) => !parts.includes(part))];
}

/** With a part at the place of another that is shown. */
export function movedPart(
  order: readonly LinePart[],
  part: string,
  to: string | undefined,
): readonly LinePart[] {
  const at = order.findIndex((one) => one === to);
  return readOrder(moved(order, part, at));
}

/** The fields that the keys of a list can stand on in a line: those that have a column. */
export function lineFields({ host, program }: RowLayout): readonly string[] {
  return [...(host.only === null ? ['host'] : []), ...(program.only === null ? ['program'] : [])];
}

/** In little room the names of hosts and programs give way to the text, and those of logspaces first. */
const COMPACT_CH_MAX = 12;
const COMPACT_LOGSPACE_CH = 6;
/** The square before the name of a logspace. */
const SQUARE_CH = 3;

/** The tracks of a line's grid behind severity and time. */
export function lineTracks(layout: RowLayout, room: Room): string {
  const isCompact = room !== 'wide';
  const ch = (of: number, max: number) => (isCompact ? Math.min(of, max) : of);
  return shownParts(layout)
    .map((part) => {
      switch (part) {
        case 'host':
        case 'program':
          return `${ch(layout[part].ch, COMPACT_CH_MAX)}ch`;
        case 'message':
          return 'minmax(0, 1fr)';
        case 'logspace':
          return `${ch(layout.logspace?.ch ?? 0, COMPACT_LOGSPACE_CH) + SQUARE_CH}ch`;
      }
    })
    .join(' ');
}

export type Room = 'narrow' | 'compact' | 'wide';

const NARROW_PX = 480;
const COMPACT_PX = 900;

/** The room of a list for its rows: in little room rows are drawn differently. */
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
