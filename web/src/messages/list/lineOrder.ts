/**
 * The columns of lines: the order stored in this browser, the fields among them, and their grid
 * tracks.
 */
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

/** The layout with its columns in the reader's order. */
export function useOrdered(layout: RowLayout): RowLayout {
  const [order] = useLineOrder();
  return useMemo(() => ({ ...layout, order }), [layout, order]);
}

/** Completes an order that was stored by another version. */
export function readOrder(kept: readonly string[]): readonly LinePart[] {
  const known = kept.flatMap((name) => lineParts.find((part) => part === name) ?? []);
  const parts = [...new Set(known)];
  return [...parts, ...lineParts.filter((part) => !parts.includes(part))];
}

/** Moves a part to the position of another visible one. */
export function movedPart(
  order: readonly LinePart[],
  part: string,
  to: string | undefined,
): readonly LinePart[] {
  const at = order.findIndex((one) => one === to);
  return readOrder(moved(order, part, at));
}

/** The fields of a line that the keys of a list can move between: those with a column. */
export function lineFields({ host, program }: RowLayout): readonly string[] {
  return [...(host.only === null ? ['host'] : []), ...(program.only === null ? ['program'] : [])];
}

/**
 * In a narrow list, the names of hosts and programs are shortened in favour of the text, and those
 * of logspaces first.
 */
const COMPACT_CH_MAX = 12;
const COMPACT_LOGSPACE_CH = 6;
/** The width of the square before the name of a logspace. */
const SQUARE_CH = 3;

/** The grid tracks of a line after severity and time. */
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

/** The space that a list has for its rows: in a narrow list, rows are rendered differently. */
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
