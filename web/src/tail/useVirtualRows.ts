/**
 * The rows in the page, and their scrolling: it follows the newest row while these are followed,
 * and is otherwise left to the user.
 */
import { useElementSize } from '@mantine/hooks';
import { type Range, defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { TABLE_MORE_PX } from '../messages/list/listStyle';
import { useKeys } from '../ui/useKeys';
import type { Line } from './buffer';
import type { Row } from './rows';

/** Until they are measured, the heights of rows are estimated as this multiple. */
const MEASURED_FACTOR = 2;
const OVERSCAN_ROWS = 8;
/** The maximum distance from the end that counts as being at the end. */
const END_PX = 8;

type Scroller = RefObject<HTMLDivElement | null>;
type Size = { linePx: number; isTable: boolean; isMeasured: boolean };

export function useVirtualRows(
  scroller: Scroller,
  rows: readonly Row[],
  following: boolean,
  { linePx, isTable, isMeasured }: Size,
) {
  const { ref: sized, height } = useElementSize();
  const rowPx = isTable ? linePx + TABLE_MORE_PX : linePx * (isMeasured ? MEASURED_FACTOR : 1);
  // The browser reports scrolling only after the frame in which it happened: until then, the last rows are known to
  // be in view.
  const rangeExtractor = (range: Range): number[] => {
    if (!following || height === 0) return defaultRangeExtractor(range);
    const inView = Math.ceil(height / linePx) + 2 * OVERSCAN_ROWS + 2;
    const count = Math.min(range.count, inView);
    return Array.from({ length: count }, (_, at) => range.count - count + at);
  };
  const keyOf = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  // The library's own state cannot be memoised; nothing here asks for that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: keyOf,
    overscan: OVERSCAN_ROWS,
    // The newest row: the largest possible offset.
    initialOffset: Number.MAX_SAFE_INTEGER,
    rangeExtractor,
    useFlushSync: false,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx, isMeasured]);
  useKeys({
    j: { does: 'Next message', run: () => moveFocus(scroller.current, 1) },
    k: { does: 'Previous message', run: () => moveFocus(scroller.current, -1) },
  });
  const items = virtualizer.getVirtualItems();
  // If rows are higher than estimated, the end moves away, whichever render this is noticed in.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (following && element !== null) element.scrollTop = element.scrollHeight;
  });
  const [drawn] = useState(() => new Slots());
  const slots = drawn.of(items.map(({ index }) => rows[index]?.key ?? index));
  return { sized, virtualizer, items, slots };
}

/** Scrolling up stops following, scrolling down to the end resumes it. */
export function useFollowing(
  lines: readonly Line[],
  following: boolean,
  onFollow: (following: boolean) => void,
): {
  scroller: Scroller;
  onScroll: () => void;
  /** Called when the user is about to scroll, and when the page itself moves its lines. */
  onReader: () => void;
  onPage: () => void;
} {
  const scroller = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const lastHeight = useRef(0);
  const isByReader = useRef(true);
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = scroller.current;
    // The last lines that arrived before a pause are drawn after it has begun.
    if (element === null || (!following && !wasAtEnd.current)) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, [lines, following]);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const isAtEnd = scrollHeight - clientHeight - scrollTop < END_PX;
    const moved = scrollTop - lastTop.current;
    lastTop.current = scrollTop;
    wasAtEnd.current = isAtEnd;
    // If a list becomes higher, it is the browser that scrolls it, not the user.
    const isResized = clientHeight !== lastHeight.current;
    lastHeight.current = clientHeight;
    if (isResized) return;
    if (following && moved < 0 && !isAtEnd) onFollow(false);
    // Details that are opened at the end scroll it into view, which does not mean that the user wants to follow it.
    if (!following && moved > 0 && isAtEnd && isByReader.current) onFollow(true);
  };
  const onReader = useCallback(() => {
    isByReader.current = true;
  }, []);
  const onPage = useCallback(() => {
    isByReader.current = false;
  }, []);
  return { scroller, onScroll, onReader, onPage };
}

/** Moves to the next or previous row that can be opened; at first to the last one. */
function moveFocus(scroller: HTMLElement | null, step: 1 | -1) {
  const openers = [...(scroller?.querySelectorAll<HTMLElement>('[data-opener]') ?? [])];
  const current = openers.findIndex((opener) => opener === document.activeElement);
  openers.at(current === -1 ? -1 : Math.max(0, current + step))?.focus();
}

/**
 * The elements of the page in which rows are drawn. A row keeps its element as long as it is in view, and a new one
 * takes that of a row that has left: that is half the work of making new elements.
 */
export class Slots {
  private taken = new Map<number, number>();
  private free: number[] = [];
  private count = 0;

  /** The elements of these rows, by their keys. It returns the same map for the same keys. */
  of(keys: readonly number[]): ReadonlyMap<number, number> {
    const wanted = new Set(keys);
    for (const [key, slot] of this.taken) if (!wanted.has(key)) this.free.push(slot);
    const next = new Map<number, number>();
    for (const key of keys) next.set(key, this.taken.get(key) ?? this.free.pop() ?? this.count++);
    this.taken = next;
    return next;
  }
}
