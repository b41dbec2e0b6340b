/** The rows of a tail, the newest at the bottom. Only those in view are in the page, however many come. */
import { useMergedRef } from '@mantine/hooks';
import { type MouseEvent, useCallback, useState } from 'react';
import type { Message } from '../api/model';
import type { Tab } from '../messages/asked';
import { LinesHead } from '../messages/list/LinesHead';
import { ListMenus, type OpenMenu } from '../messages/list/ListMenus';
import { MessageRow } from '../messages/list/MessageRow';
import { selectedIn } from '../messages/list/SelectionMenu';
import { TableHead } from '../messages/list/TableHead';
import { clickedIn } from '../messages/list/clicked';
import { lineFields } from '../messages/list/lineFields';
import { tracks } from '../messages/list/columns';
import { listStyle } from '../messages/list/listStyle';
import { useDensity } from '../messages/list/useDensity';
import { useOrdered } from '../messages/list/useLineOrder';
import { useRoom } from '../messages/list/useRoom';
import { useWidths } from '../messages/list/useWidths';
import { copyText } from '../ui/clipboard';
import type { Hits } from '../ui/highlight';
import { dayLabel, dayOf } from '../ui/message/times';
import { useEdit, valueEdit } from '../ui/query/useEdit';
import { useZone } from '../ui/time';
import { toast } from '../ui/toast';
import type { Line } from './buffer';
import type { ListLook } from './listLook';
import { NoteLine } from './NoteLine';
import type { Row } from './rows';
import { useLook } from './useLook';
import { useRows } from './useRows';
import { useStreamKeys } from './useStreamKeys';
import { useFollowing, useLines } from './useLines';
import rowClasses from '../messages/list/Rows.module.css';
import classes from './Stream.module.css';

type Props = {
  label: string;
  query: string;
  lines: readonly Line[];
  hits: Hits;
  /** What is marked in the rows: the query's hits, and the reader's texts. */
  marks: Hits;
  look: ListLook;
  following: boolean;
  /** Whether a screen reader reads what comes: only where it can keep up. */
  isSlow: boolean;
  onFollow: (following: boolean) => void;
  onQuery: (query: string) => void;
  /** With the messages on show, the newest first. */
  onOpen: (id: string, messages: readonly Message[], tab?: Tab) => void;
};

export function Stream(props: Props) {
  const { label, query, lines, marks, following, isSlow, onFollow, onQuery } = props;
  const { view, columns, wrap, open, onColumns } = props.look;
  const isTable = view === 'table';
  const look = useOrdered(useLook(lines, props.hits, isTable ? columns : NO_COLUMNS));
  const { rows, toggle } = useRows(lines);
  const [zone] = useZone();
  const [widths, setWidths] = useWidths();
  const { linePx } = useDensity();
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const { scroller, onScroll, onReader, onPage } = useFollowing(lines, following, onFollow);
  const room = useRoom(scroller);
  const isNarrow = !isTable && room === 'narrow';
  const { sized, virtualizer, items, slots } = useLines(scroller, rows, following, {
    linePx,
    isTable,
    isMeasured: wrap || isNarrow,
  });
  const ref = useMergedRef(scroller, sized);
  const edit = useEdit(query);
  const copy = useCallback((text: string, what: string) => void copied(text, what), []);
  const standStill = () => {
    // What one reads must not move away.
    onFollow(false);
    onPage();
  };
  const keys = useStreamKeys({
    rows,
    fields: isTable ? columns : lineFields(look),
    onStart: standStill,
    onContext: ({ id }) => props.onOpen(id, newestFirst(lines), 'context'),
    onCopyRaw: ({ raw }) => copy(raw, 'the raw message'),
    onFilter: (field, value, exclude) => edit([valueEdit(field, value, exclude)], onQuery),
    onMenu: (value) => setMenu({ value }),
  });
  const onClick = (event: MouseEvent) => {
    const clicked = clickedIn(event);
    const row = rows.find(({ key }) => key === clicked?.row);
    if (clicked === null || row?.kind !== 'message') return;
    standStill();
    switch (clicked.on.kind) {
      case 'fold':
        toggle(row.key);
        return;
      case 'value':
        setMenu({ value: clicked.on.value });
        return;
      case 'rest':
        props.onOpen(row.message.id, newestFirst(lines));
    }
  };
  const table = scroller.current?.querySelector<HTMLElement>('[role="table"]');
  const reachable = rows.findLast(({ kind }) => kind === 'message')?.key;
  const day = dayIn(rows, items[0]?.index ?? 0, (time) => dayOf(time, zone));
  return (
    <div
      ref={ref}
      className={classes.scroller}
      role="log"
      aria-label={label}
      aria-live={isSlow ? 'polite' : 'off'}
      tabIndex={0}
      onScroll={onScroll}
      onWheel={onReader}
      onTouchMove={onReader}
      onPointerDown={onReader}
      onKeyDown={onReader}
      onFocus={keys.onFocus}
      onBlur={keys.onBlur}
      onMouseUp={() => {
        const text = selectedIn(scroller.current, getSelection());
        if (text === null) return;
        standStill();
        setMenu({ text });
      }}
      onClick={onClick}
    >
      <div
        className={rowClasses.table}
        role="table"
        aria-label={label}
        aria-rowcount={-1}
        data-view={view}
        data-narrow={isNarrow}
        style={listStyle({ times: 'absolute', columns, widths, look, room, linePx })}
      >
        <div role="rowgroup" className={rowClasses.head}>
          {isTable ? (
            <TableHead
              day={dayLabel(day)}
              columns={columns}
              widths={widths}
              onColumns={onColumns}
              onWidths={setWidths}
              onDraft={(next) => table?.style.setProperty('--tracks', tracks(columns, next))}
              onStatistics={(field) => edit([{ op: 'top', field }], onQuery)}
            />
          ) : (
            <LinesHead day={dayLabel(day)} look={look} />
          )}
        </div>
        <div
          role="rowgroup"
          className={rowClasses.body}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {items.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const isMeasured = wrap || isNarrow || row.kind === 'note';
            return (
              <div
                key={isMeasured ? `row ${row.key}` : slots.get(row.key)}
                ref={isMeasured ? virtualizer.measureElement : undefined}
                data-index={index}
                className={rowClasses.item}
                style={{ transform: `translateY(${start}px)` }}
              >
                {row.kind === 'note' && <NoteLine note={row.note} rowIndex={row.key + 2} />}
                {row.kind === 'message' && (
                  <MessageRow
                    columns={isTable ? columns : null}
                    message={row.message}
                    fold={row.fold}
                    index={row.key}
                    rowIndex={row.key + 2}
                    hits={marks}
                    times="absolute"
                    zone={zone}
                    now={0}
                    wrap={wrap}
                    current={row.key === keys.current}
                    field={row.key === keys.current ? keys.field : null}
                    open={row.message.id === open}
                    marked={false}
                    focusable={row.key === reachable}
                    look={look}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      <ListMenus
        open={menu}
        onClose={() => setMenu(null)}
        query={query}
        loaded={() => newestFirst(lines)}
        messageOf={(key) => messageIn(rows, key)}
        onQuery={onQuery}
        onCopy={copy}
      />
    </div>
  );
}

const NO_COLUMNS: readonly string[] = [];

function messageIn(rows: readonly Row[], key: number): Message | undefined {
  const row = rows.find((one) => one.key === key);
  return row?.kind === 'message' ? row.message : undefined;
}

function newestFirst(lines: readonly Line[]): Message[] {
  return lines.flatMap((line) => (line.kind === 'message' ? [line.message] : [])).reverse();
}

/** The day of the first message in view. */
function dayIn(rows: readonly Row[], from: number, dayOfTime: (time: string) => string): string {
  const first = rows[from];
  const message = first?.kind === 'message' ? first : rows.find(({ kind }) => kind === 'message');
  return message?.kind === 'message' ? dayOfTime(message.message.time) : '';
}

async function copied(text: string, what: string): Promise<void> {
  const done = await copyText(text);
  if (done) toast({ tone: 'good', title: `Copied ${what}.` });
  else toast({ tone: 'caution', title: 'The browser does not let this page copy.' });
}
