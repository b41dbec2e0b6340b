/** The rows in the page, and their scrolling: with the newest while they are followed, else not at all. */
import { useElementSize } from '@mantine/hooks';
import { type Range, defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { TABLE_MORE_PX } from '../messages/list/listStyle';
import { useKeys } from '../ui/useKeys';
import type { Line } from './buffer';
import type { Row } from './rows';

/** Rows that are measured are taken for this much higher until they are. */
const MEASURED_FACTOR = 2;
const OVERSCAN_ROWS = 8;
/** So near to the end is at the end. */
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
  // The browser says that it scrolled only after the frame in which it did: until then the last rows are known to be
  // the ones in view.
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
    // The newest: as far down as it goes.
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
  // Rows that turn out higher than they were taken for move the end away, in whatever render that is known.
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
  /** To be told when the reader is about to scroll, and when the page moves its lines by itself. */
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
    // The last lines that came before a pause are drawn when it has begun.
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
    // A list that became higher is moved by the browser, not by the reader.
    const isResized = clientHeight !== lastHeight.current;
    lastHeight.current = clientHeight;
    if (isResized) return;
    if (following && moved < 0 && !isAtEnd) onFollow(false);
    // Details that open at the end move the end into view: that is no wish to follow it.
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

/** To the next or previous row that can be opened; at first to the last one. */
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

  /** The elements of these rows, by their keys. Asked again with the same keys it says the same. */
  of(keys: readonly number[]): ReadonlyMap<number, number> {
    const wanted = new Set(keys);
    for (const [key, slot] of this.taken) if (!wanted.has(key)) this.free.push(slot);
    const next = new Map<number, number>();
    for (const key of keys) next.set(key, this.taken.get(key) ?? this.free.pop() ?? this.count++);
    this.taken = next;
    return next;
  }
}
