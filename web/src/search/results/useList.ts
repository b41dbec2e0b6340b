/** The scrolling list: which rows are in view, and the one that the keys act on. */
import { type Virtualizer, useVirtualizer } from '@tanstack/react-virtual';
import {
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useDebouncedCallback } from '@mantine/hooks';
import type { Message } from '../../api/model';
import { useZone } from '../../ui/time';
import type { SearchState } from '../searchParams';
import { type Rows, placeOf, rowAt, rowsOf } from './rows';
import { TABLE_MORE_PX, useDensity } from '../../messages/list/listStyle';
import { useRoom } from '../../messages/list/lineOrder';

const HEAD_PX = 28;
const OVERSCAN_ROWS = 12;
/** Rows in view are drawn first, and the counts beside them second. */
const OVERSCAN_ROWS_FIRST = 1;
const OVERSCAN_REST_MS = 250;

/** The size of the last list that was shown. */
let sizeBefore = { width: 0, height: 0 };

type Props = {
  state: SearchState;
  messages: readonly Message[];
  hasMore: boolean;
  loadingMore: boolean;
  onMore: () => void;
  onChange: (part: Partial<SearchState>) => void;
  onAtTop: (atTop: boolean) => void;
};

export type List = ReturnType<typeof useList>;

export function useList(props: Props) {
  const { state, messages, hasMore, loadingMore, onMore, onChange, onAtTop } = props;
  const [zone] = useZone();
  const scroller = useRef<HTMLDivElement>(null);
  const room = useRoom(scroller);
  const rows = useMemo(() => rowsOf(messages, zone), [messages, zone]);
  const isMeasured = state.wrap || (state.view === 'lines' && room === 'narrow');
  const { linePx } = useDensity();
  const rowPx = state.view === 'table' ? linePx + TABLE_MORE_PX : linePx;
  // The function stays the same between frames: with a new one, the library would measure all rows again.
  const getItemKey = useCallback((place: number) => keyOf(rows, messages, place), [rows, messages]);
  const overscan = useOverscan();
  // The library's own state cannot be memoised; nothing here asks for that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey,
    scrollPaddingEnd: HEAD_PX,
    overscan,
    // Each answer is a new list: without a known size, it would first be drawn without rows.
    initialRect: sizeBefore,
  });
  useEffect(() => {
    if (virtualizer.scrollRect !== null) sizeBefore = virtualizer.scrollRect;
  });
  useHeights(virtualizer, `${state.view} ${isMeasured} ${room} ${linePx}`);

  const cursor = useCursor(messages, state.open, (id) => onChange({ open: id }));
  const focusOn = useFocusWhenDrawn(scroller);
  const [atTop, setAtTop] = useState(true);
  useEffect(() => onAtTop(atTop), [atTop, onAtTop]);
  useEffect(() => () => onAtTop(true), [onAtTop]);
  useStandingStill(scroller, virtualizer, rows, cursor.index, messages);

  const lastShown = virtualizer.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !loadingMore && lastShown >= rows.count - OVERSCAN_ROWS) onMore();
  }, [hasMore, lastShown, loadingMore, rows.count, onMore]);

  const show = (index: number) => virtualizer.scrollToIndex(placeOf(rows, index));
  const go = (index: number) => {
    if (index < 0 || index >= messages.length) return;
    cursor.set(index);
    show(index);
    focusOn(index);
  };
  const { open } = state;
  const wasOpen = useRef(open);
  useEffect(() => {
    const closed = wasOpen.current !== null && open === null;
    wasOpen.current = open;
    if (cursor.index === -1) return;
    if (open !== null && open === cursor.id) show(cursor.index);
    if (closed && document.activeElement === document.body) focusOn(cursor.index);
    // Only when another message is opened, or none: not whenever the cursor moves.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [open]);

  const from = cursor.index === -1 ? firstInView(virtualizer, rows) - 1 : cursor.index;
  const last = messages.length - 1;
  const rowsInView = Math.max(1, Math.floor((virtualizer.scrollRect?.height ?? 0) / rowPx) - 2);
  const step = (by: number) => go(Math.min(Math.max(from + by, 0), last));
  return {
    scroller,
    virtualizer,
    rows,
    zone,
    room,
    linePx,
    isMeasured,
    cursor,
    go,
    move: step,
    page: (direction: 1 | -1) => step(direction * rowsInView),
    onScroll: () => setAtTop((scroller.current?.scrollTop ?? 0) < rowPx),
  };
}

/** The number of rows drawn out of view. */
function useOverscan(): number {
  const [rows, setRows] = useState(OVERSCAN_ROWS_FIRST);
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setRows(OVERSCAN_ROWS)), OVERSCAN_REST_MS);
    return () => clearTimeout(timer);
  }, []);
  return rows;
}

/**
 * Forgets the heights of rows that are now drawn differently, and measures those in the page at
 * once.
 */
function useHeights(virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>, kind: string) {
  const known = useRef(kind);
  useLayoutEffect(() => {
    if (known.current === kind) return;
    known.current = kind;
    virtualizer.measure();
    // This precedes measuring a row: its height is compared with the known height at its position.
    virtualizer.getTotalSize();
    // Nothing else reports a row whose height has not changed, and the library measures no rows while the list
    // scrolls, as it does when it becomes shorter.
    for (const row of virtualizer.elementsCache.values()) {
      virtualizer.resizeItem(virtualizer.indexFromElement(row), row.offsetHeight);
    }
  }, [kind, virtualizer]);
}

/** Keeps the visible rows in place when newer messages arrive above them. */
function useStandingStill(
  scroller: { current: HTMLDivElement | null },
  virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>,
  rows: Rows,
  index: number,
  messages: readonly Message[],
) {
  const before = useRef<{ messages: readonly Message[]; start: number | null }>({
    messages,
    start: null,
  });
  useLayoutEffect(() => {
    const place = index === -1 ? null : placeOf(rows, index);
    const start = place === null ? null : (virtualizer.measurementsCache[place]?.start ?? null);
    const last = before.current;
    before.current = { messages, start };
    const isSameList = last.messages === messages;
    if (isSameList || start === null || last.start === null || scroller.current === null) return;
    scroller.current.scrollBy(0, start - last.start);
  });
}

/** Focuses the row of a message as soon as it is in the page. */
function useFocusWhenDrawn(scroller: { current: HTMLDivElement | null }) {
  const wanted = useRef<number | null>(null);
  const tryNow = () => {
    if (wanted.current === null) return;
    const selector = `[data-opener="${wanted.current}"]`;
    const opener = scroller.current?.querySelector<HTMLElement>(selector);
    if (opener === null || opener === undefined) return;
    opener.focus({ preventScroll: true });
    wanted.current = null;
  };
  useEffect(tryNow);
  return (index: number) => {
    wanted.current = index;
    requestAnimationFrame(tryNow);
  };
}

function keyOf(rows: Rows, messages: readonly Message[], place: number): string {
  const row = rowAt(rows, place);
  return row.kind === 'day'
    ? `day ${row.day} ${place}`
    : (messages[row.index]?.id ?? String(place));
}

function firstInView(virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>, rows: Rows): number {
  const row = rowAt(rows, virtualizer.range?.startIndex ?? 0);
  return row.kind === 'message' ? row.index : 0;
}

/**
 * A held key moves about thirty times a second; the address, and with it the drawer, follows once
 * it is released.
 */
const FOLLOW_MS = 100;

type Cursor = {
  id: string | null;
  /** -1 if there is no message, or if it is no longer in the list. */
  index: number;
  set: (index: number) => void;
  clear: () => void;
};

/**
 * The row that the keys act on. It is a message, not a position: it stays with its message if
 * others arrive above it.
 */
function useCursor(
  messages: readonly Message[],
  open: string | null,
  onFollow: (id: string) => void,
): Cursor {
  const [id, setId] = useState(open);
  const [opened, setOpened] = useState(open);
  if (opened !== open) {
    setOpened(open);
    if (open !== null) setId(open);
  }
  const follow = useDebouncedCallback(onFollow, FOLLOW_MS);
  const index = useMemo(
    () => (id === null ? -1 : messages.findIndex((message) => message.id === id)),
    [messages, id],
  );
  const set = (next: number) => {
    const message = messages[next];
    if (message === undefined) return;
    setId(message.id);
    if (open !== null && message.id !== open) follow(message.id);
  };
  return { id, index, set, clear: () => setId(null) };
}
