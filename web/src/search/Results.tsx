/** The messages, newest first. Only the rows in view are in the page, whatever the number of messages. */
import { Loader } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, useEffect, useRef } from 'react';
import type { Message } from '../api/model';
import { partsOf, useZone } from '../ui/time';
import { useKeys } from '../ui/useKeys';
import { Severity } from '../ui/Severity';
import { markHits } from '../ui/highlight';
import type { SearchState } from './searchParams';
import classes from './Results.module.css';

const ROW_PX = 28;
const OVERSCAN_ROWS = 12;

/** How much of a message its row holds; the details have the rest. */
const ROW_CHARACTERS_MAX = 1_000;

type Props = {
  state: SearchState;
  messages: readonly Message[];
  hits: RegExp | null;
  hasMore: boolean;
  loadingMore: boolean;
  onMore: () => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onChange: (part: Partial<SearchState>) => void;
  onAtTop: (atTop: boolean) => void;
};

export function Results(props: Props) {
  const { state, messages, hits, hasMore, loadingMore, onMore, onChange, onAtTop } = props;
  const open = state.open;
  const onToggle = (id: string) => onChange({ open: open === id ? null : id });
  const scroller = useRef<HTMLDivElement>(null);
  // The library's own state cannot be memoised; nothing here asks for that.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => messages[index]?.id ?? index,
    overscan: OVERSCAN_ROWS,
  });
  const rows = virtualizer.getVirtualItems();
  const lastShown = rows.at(-1)?.index ?? 0;

  useEffect(() => {
    if (hasMore && !loadingMore && lastShown >= messages.length - OVERSCAN_ROWS) onMore();
  }, [hasMore, lastShown, loadingMore, messages.length, onMore]);
  useEffect(() => () => onAtTop(true), [onAtTop]);

  const moveFocus = (step: 1 | -1) => {
    const current = focusedRow(scroller.current);
    const next = current === null ? 0 : current + step;
    if (next < 0 || next >= messages.length) return;
    virtualizer.scrollToIndex(next);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-opener="${next}"]`)?.focus(),
    );
  };
  useKeys({
    j: { does: 'Next message', run: () => moveFocus(1) },
    k: { does: 'Previous message', run: () => moveFocus(-1) },
  });

  return (
    <div
      ref={scroller}
      className={classes.scroller}
      onScroll={(event) => onAtTop(event.currentTarget.scrollTop < ROW_PX)}
    >
      <div
        className={classes.table}
        role="table"
        aria-label="Messages"
        aria-rowcount={hasMore ? -1 : messages.length + 1}
      >
        <div role="rowgroup" className={classes.head}>
          <div role="row" aria-rowindex={1} className={classes.row}>
            <span role="columnheader">Time</span>
            <span role="columnheader">Host</span>
            <span role="columnheader">Program</span>
            <span role="columnheader">Severity</span>
            <span role="columnheader">Message</span>
          </div>
        </div>
        <div
          role="rowgroup"
          className={classes.body}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {rows.map(({ index, key, start }) => {
            const message = messages[index];
            return (
              message !== undefined && (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  className={classes.item}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <MessageRow
                    message={message}
                    index={index}
                    isOpen={message.id === open}
                    hits={hits}
                    onToggle={onToggle}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
      <div className={classes.end}>
        {loadingMore && <Loader size="xs" aria-label="Loading older messages" />}
        {!hasMore && 'No older messages in this range.'}
      </div>
    </div>
  );
}

type RowProps = {
  message: Message;
  index: number;
  isOpen: boolean;
  hits: RegExp | null;
  onToggle: (id: string) => void;
};

function MessageRow({ message, index, isOpen, hits, onToggle }: RowProps) {
  const [zone] = useZone();
  const time = partsOf(message.time, zone);
  const text = message.message.slice(0, ROW_CHARACTERS_MAX);
  const toggle = (event: MouseEvent) => {
    event.stopPropagation();
    // Whoever drags over a row wants its text, not its details.
    if (getSelection()?.isCollapsed !== false) onToggle(message.id);
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      data-open={isOpen}
      data-severe={message.severity !== null && message.severity <= 3}
      onClick={toggle}
    >
      <span role="cell" className={classes.time}>
        <button
          type="button"
          className={classes.opener}
          data-opener={index}
          aria-expanded={isOpen}
          aria-label="Details"
          onClick={toggle}
        >
          <IconChevronRight size={14} aria-hidden />
        </button>
        <time dateTime={message.time} title={message.time}>
          <span className={classes.date}>{time?.date}</span> {time?.clock}
        </time>
      </span>
      <span role="cell" className={classes.cut} title={message.host}>
        {message.host}
      </span>
      <span role="cell" className={classes.cut} title={message.program}>
        {message.program}
      </span>
      <span role="cell">
        <Severity message={message} />
      </span>
      <span role="cell" className={classes.message}>
        {markHits(text, hits).map((piece, at) =>
          piece.hit ? <mark key={at}>{piece.text}</mark> : piece.text,
        )}
      </span>
    </div>
  );
}

function focusedRow(within: HTMLElement | null): number | null {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || within?.contains(active) !== true) return null;
  const item = active.closest<HTMLElement>('[data-index]');
  return item === null ? null : Number(item.dataset['index']);
}
