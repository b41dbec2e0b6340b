/** Which lines are in the page, and how they move: with the newest while they are followed, else not at all. */
import { type Range, defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useKeys } from '../ui/useKeys';
import type { Line } from './buffer';

const LINE_PX = 24;
const NARROW_LINE_PX = 48;
const OVERSCAN_LINES = 8;
/** So near to the end is at the end. */
const END_PX = 8;

type Scroller = RefObject<HTMLDivElement | null>;

export function useLines(
  scroller: Scroller,
  lines: readonly Line[],
  following: boolean,
  size: { height: number; isNarrow: boolean; wrap: boolean },
) {
  const linePx = size.isNarrow ? NARROW_LINE_PX : LINE_PX;
  /** The most that can be in the page at once. */
  const rows = Math.ceil(size.height / linePx) + 2 * OVERSCAN_LINES + 2;
  // The browser says that it scrolled only after the frame in which it did: until then the last lines are known to be
  // the ones in view.
  const rangeExtractor = (range: Range): number[] => {
    if (!following || size.height === 0) return defaultRangeExtractor(range);
    const count = Math.min(range.count, rows);
    return Array.from({ length: count }, (_, at) => range.count - count + at);
  };
  const keyOf = useCallback((index: number) => lines[index]?.key ?? index, [lines]);
  // The library's own state cannot be memoised; nothing here asks for that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => linePx,
    getItemKey: keyOf,
    overscan: OVERSCAN_LINES,
    // The newest: as far down as it goes.
    initialOffset: Number.MAX_SAFE_INTEGER,
    rangeExtractor,
    useFlushSync: false,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, linePx, size.wrap]);
  useKeys({
    j: { does: 'Next message', run: () => moveFocus(scroller.current, 1) },
    k: { does: 'Previous message', run: () => moveFocus(scroller.current, -1) },
  });
  const items = virtualizer.getVirtualItems();
  // Lines that turn out higher than they were taken for move the end away, in whatever render that is known.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (following && element !== null) element.scrollTop = element.scrollHeight;
  });
  /**
   * The row of the page that a line is drawn in. A line keeps its row as long as it is in view, and a new one takes
   * the row of one that has left: that is half the work of making new rows. Before the size is known there are more.
   */
  const modulus = Math.max(rows, items.length);
  const rowOf = (index: number) => ((lines[0]?.key ?? 0) + index) % modulus;
  return { virtualizer, items, rowOf };
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
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || !following) return;
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

/** To the next or previous line that can be opened; at first to the last one. */
function moveFocus(scroller: HTMLElement | null, step: 1 | -1) {
  const openers = [...(scroller?.querySelectorAll<HTMLElement>('button[aria-expanded]') ?? [])];
  const current = openers.findIndex((opener) => opener === document.activeElement);
  openers.at(current === -1 ? -1 : Math.max(0, current + step))?.focus();
}
