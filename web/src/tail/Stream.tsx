/**
 * The rows of a tail, the newest at the bottom. Only those in view are in the page, however many
 * arrive.
 */
import { useMergedRef } from '@mantine/hooks';
import { type FocusEvent, type MouseEvent, useCallback, useState } from 'react';
import type { Message } from '../api/model';
import type { ListView, Tab } from '../messages/messageState';
import { ListMenus, type OpenMenu } from '../messages/list/ListMenus';
import { ListItem, MessageList, MessageRow } from '../messages/list/MessageList';
import { selectedIn } from '../messages/list/SelectionMenu';
import { clickedIn } from '../messages/list/click';
import { type Room, lineFields, useOrdered, useRoom } from '../messages/list/lineOrder';
import { useDensity } from '../messages/list/listStyle';
import { copyText } from '../ui/clipboard';
import type { Hits } from '../ui/highlight';
import { type Column, type RowLayout, nothingCommon } from '../ui/message/rowLayout';
import { dayOf } from '../ui/message/times';
import { useEdit, valueEdit } from '../ui/query/useEdit';
import { type Zone, useZone } from '../ui/time';
import { toast } from '../ui/toast';
import { formatCount } from '../ui/number';
import { useValueKeys } from '../messages/list/useValueKeys';
import { useKeys } from '../ui/useKeys';
import { rowLayoutFor } from '../messages/list/useRowLayout';
import type { Line, Note } from './buffer';
import { type Row, useRows } from './rows';
import { useFollowing, useVirtualRows } from './useVirtualRows';
import { clockText } from './idle';
import classes from './Stream.module.css';

/** The view options of all tails. */
export type ListOptions = Pick<ListView, 'view' | 'columns' | 'open'> & {
  wrap: boolean;
  onColumns: (columns: string[]) => void;
};

type Props = {
  label: string;
  query: string;
  lines: readonly Line[];
  hits: Hits;
  /** The hits that are marked in the rows: those of the query, and the user's texts. */
  marks: Hits;
  list: ListOptions;
  following: boolean;
  /** Whether a screen reader reads new messages, which it only does if it can keep up. */
  isSlow: boolean;
  onFollow: (following: boolean) => void;
  onQuery: (query: string) => void;
  /** Called with the visible messages, the newest first. */
  onOpen: (id: string, messages: readonly Message[], tab?: Tab) => void;
};

export function Stream(props: Props) {
  const { label, query, lines, following, isSlow, onFollow, onQuery } = props;
  const { view, columns, wrap } = props.list;
  const isTable = view === 'table';
  const layout = useGrowingLayout(lines, props.hits, isTable ? columns : NO_COLUMNS);
  const { rows, toggle } = useRows(lines);
  const { linePx } = useDensity();
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const { scroller, onScroll, onReader, onPage } = useFollowing(lines, following, onFollow);
  const room = useRoom(scroller);
  const isMeasured = wrap || (!isTable && room === 'narrow');
  const size = { linePx, isTable, isMeasured };
  const { sized, ...drawn } = useVirtualRows(scroller, rows, following, size);
  const ref = useMergedRef(scroller, sized);
  const edit = useEdit(query);
  const copy = useCallback((text: string, what: string) => void copied(text, what), []);
  const standStill = () => {
    // The line that the user reads must not move away.
    onFollow(false);
    onPage();
  };
  const keys = useStreamKeys({
    rows,
    fields: isTable ? columns : lineFields(layout),
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
      <StreamRows
        {...drawn}
        {...{ label, rows, room, linePx, isMeasured, keys }}
        list={props.list}
        layout={layout}
        marks={props.marks}
        onStatistics={(field) => edit([{ op: 'top', field }], onQuery)}
      />
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

type StreamRowsProps = Omit<ReturnType<typeof useVirtualRows>, 'sized'> & {
  label: string;
  rows: readonly Row[];
  room: Room;
  linePx: number;
  isMeasured: boolean;
  keys: ReturnType<typeof useStreamKeys>;
  list: ListOptions;
  layout: RowLayout;
  marks: Hits;
  onStatistics: (field: string) => void;
};

function StreamRows(props: StreamRowsProps) {
  const { label, rows, virtualizer, items, slots, room, linePx, keys, layout, onStatistics } =
    props;
  const { view, columns, wrap, open, onColumns } = props.list;
  const [zone] = useZone();
  const reachable = rows.findLast(({ kind }) => kind === 'message')?.key;
  return (
    <MessageList
      {...{ label, view, columns, layout, room, linePx, onColumns, onStatistics }}
      times="absolute"
      day={dayIn(rows, items[0]?.index ?? 0, (time) => dayOf(time, zone))}
      rowCount={-1}
      height={virtualizer.getTotalSize()}
    >
      {items.map(({ index, start }) => {
        const row = rows[index];
        if (row === undefined) return null;
        const isMeasured = props.isMeasured || row.kind === 'note';
        const isCurrent = row.key === keys.current;
        return (
          <ListItem
            key={isMeasured ? `row ${row.key}` : slots.get(row.key)}
            index={index}
            start={start}
            measure={isMeasured ? virtualizer.measureElement : null}
          >
            {row.kind === 'note' && <NoteLine note={row.note} rowIndex={row.key + 2} />}
            {row.kind === 'message' && (
              <MessageRow
                {...{ view, columns, layout, zone, wrap }}
                message={row.message}
                fold={row.fold}
                index={row.key}
                rowIndex={row.key + 2}
                hits={props.marks}
                times="absolute"
                now={0}
                current={isCurrent}
                field={isCurrent ? keys.field : null}
                open={row.message.id === open}
                marked={false}
                focusable={row.key === reachable}
              />
            )}
          </ListItem>
        );
      })}
    </MessageList>
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

/** A note about this position in the stream, as a band across it. */
function NoteLine({ note, rowIndex }: { note: Note; rowIndex: number }) {
  const [zone] = useZone();
  return (
    <div role="row" aria-rowindex={rowIndex} className={classes.note} data-kind={note.kind}>
      <span role="cell">{noteText(note, zone)}</span>
    </div>
  );
}

function noteText(note: Note, zone: Zone): string {
  switch (note.kind) {
    case 'disconnected':
      return `Disconnected ${stretch(note, zone)}`;
    case 'paused':
      return `Paused ${stretch(note, zone)}`;
    case 'gap':
      return `${formatCount(note.messages)} messages are missing here: ${note.reason}`;
  }
}

function stretch(note: Extract<Note, { refilled: number }>, zone: Zone): string {
  const from = clockText(note.from, zone);
  if (note.until === null) return `since ${from}`;
  const messages = note.refilled === 1 ? 'message' : 'messages';
  const refilled = `refilled ${formatCount(note.refilled)} ${messages}`;
  return `${from} – ${clockText(note.until, zone)}, ${refilled}`;
}

type UseStreamKeysProps = Omit<
  Parameters<typeof useValueKeys>[0],
  'current' | 'enabled' | 'onNoValue'
> & {
  rows: readonly Row[];
  /** Called before anything is done with a row, as it must not move away. */
  onStart: () => void;
};

/** The keys for the row of a tail that has the focus. */
function useStreamKeys({ rows, onStart, ...rest }: UseStreamKeysProps) {
  const [current, setCurrent] = useState<number | null>(null);
  const { field, keys } = useValueKeys({
    ...rest,
    // If there are several lists, the keys belong to the one with the focus.
    enabled: current !== null,
    current: () => {
      const row = document.activeElement?.closest('[data-row]');
      const found = row == null ? undefined : rows.find(({ key }) => key === rowKeyOf(row));
      if (row == null || found?.kind !== 'message') return undefined;
      setCurrent(found.key);
      onStart();
      return { message: found.message, cell: row.querySelector('[data-cursor="true"]') ?? row };
    },
  });
  useKeys(keys);
  return {
    current,
    field,
    onFocus: ({ target }: FocusEvent) => setCurrent(rowKeyOf(target)),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) setCurrent(null);
    },
  };
}

function rowKeyOf(target: Element): number | null {
  const key = target.closest<HTMLElement>('[data-row]')?.dataset['row'];
  return key === undefined ? null : Number(key);
}

const LOOKED_AT = 500;

/**
 * The layout of a tail's rows. Columns grow while the first lines arrive, and stay fixed
 * afterwards.
 */
export function useGrowingLayout(lines: readonly Line[], hits: Hits, columns: readonly string[]) {
  const [known, setKnown] = useState<{ lines: number; layout: RowLayout | null }>({
    lines: 0,
    layout: null,
  });
  // The layout is calculated again once there are twice as many lines: about a dozen times, however many arrive.
  const kept = lines.length < 2 * known.lines ? known.layout : null;
  const layout =
    kept ?? grown(known.layout, rowLayoutFor(newestOf(lines), hits, columns, nothingCommon));
  if (kept === null && lines.length > 0) setKnown({ lines: lines.length, layout });
  return useOrdered(layout);
}

/** The layout once more rows are known: no column becomes narrower, and none disappears. */
export function grown(before: RowLayout | null, now: RowLayout): RowLayout {
  if (before === null) return now;
  return {
    order: now.order,
    profile: now.profile,
    host: grownColumn(before.host, now.host),
    program: grownColumn(before.program, now.program),
    logspace: before.logspace === null ? now.logspace : grownColumn(before.logspace, now.logspace),
  };
}

function grownColumn(before: Column, now: Column | null): Column {
  return {
    ch: Math.max(before.ch, now?.ch ?? 0),
    only: now?.only === before.only ? before.only : null,
  };
}

function newestOf(lines: readonly Line[]) {
  const newest = lines.slice(-LOOKED_AT).toReversed();
  return newest.flatMap((line) => (line.kind === 'message' ? [line.message] : []));
}
