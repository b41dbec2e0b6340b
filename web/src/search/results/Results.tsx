/** The messages, newest first: moving among them, and what can be done with each. */
import { Loader } from '@mantine/core';
import { type MouseEvent, Suspense, lazy, memo, useEffect, useMemo, useState } from 'react';
import { useInterval } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { fetched } from '../../api/code';
import type { Message, QueryEdit } from '../../api/model';
import { copyText } from '../../ui/clipboard';
import { type Hits, textHits } from '../../ui/highlight';
import type { Common, RowLayout } from '../../ui/message/rowLayout';
import { canRefresh } from '../../ui/range';
import type { SearchState } from '../searchParams';
import { MARKS_MAX, MarksBar, useNote } from './MarksBar';
import { ListMenus, type OpenMenu } from '../../messages/list/ListMenus';
import { selectedIn } from '../../messages/list/SelectionMenu';
import { type ClickedValue, clickedIn } from '../../messages/list/click';
import { type Folded, useFolded } from '../../messages/list/folds';
import { useRowLayout } from '../../messages/list/useRowLayout';
import { dayLabel } from '../../ui/message/times';
import { ListItem, MessageList, MessageRow } from '../../messages/list/MessageList';
import { formatCount } from '../../ui/number';
import { client, unwrap } from '../../api/client';
import { scopeOf } from '../../messages/messageState';
import { useOnStored } from '../useOnStored';
import { type List, useList } from './useList';
import { useRowKeys } from './useRowKeys';
import { dayShown, placeOf, rowAt } from './rows';
import classes from './Results.module.css';
import rowsClasses from '../../messages/list/Rows.module.css';
import newerClasses from './Newer.module.css';

const Compare = lazy(async () => ({
  default: (await fetched(() => import('../compare/Compare'))).Compare,
}));

type Props = {
  state: SearchState;
  messages: readonly Message[];
  /** The newest of the messages, which decide how the list is drawn. They change with a new answer alone. */
  first: readonly Message[];
  hits: Hits;
  common: Common;
  hasMore: boolean;
  loadingMore: boolean;
  onMore: () => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onEdit: (edits: readonly QueryEdit[]) => void;
  onAsk: (part: Partial<SearchState>) => void;
  onChange: (part: Partial<SearchState>) => void;
  /** Whether what comes in is shown by itself. */
  live: boolean;
  /** Shows what came in since, from the newest on. */
  onTakeIn: () => void;
  onAtTop: (atTop: boolean) => void;
};

/** Drawn again when its own answer changes, not when the counts beside it do. */
export const Results = memo(function Results(all: Props) {
  const { messages, folds, toggle } = useFolded(all.messages, all.state.open);
  // A list that is refreshed is its newest page, however few rows that has.
  const props = { ...all, messages, hasMore: all.hasMore && !all.live };
  const { state, first, loadingMore, onAsk, onChange } = props;
  const hits = useMemo(() => textHits(props.hits), [props.hits]);
  const layout = useRowLayout(
    first,
    props.hits,
    state.view === 'table' ? state.columns : NO_COLUMNS,
    props.common,
  );
  const list = useList(props);
  const { scroller } = list;
  const rank = (name: string) => props.onEdit([{ op: 'top', field: name }]);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const [comparing, setComparing] = useState(false);
  const [note, setNote] = useNote();
  const newer = useNewer(state, all.messages, !props.live && canRefresh(state.range));
  const takeIn = () => {
    list.cursor.clear();
    list.virtualizer.scrollToOffset(0);
    props.onTakeIn();
  };
  const toggleMark = (id: string) => {
    const { marks } = state;
    if (marks.includes(id)) onChange({ marks: marks.filter((mark) => mark !== id) });
    else if (marks.length < MARKS_MAX) onChange({ marks: [...marks, id] });
    else setNote(`At most ${MARKS_MAX} messages can be compared.`);
  };
  const copy = (text: string, what: string) =>
    void copyText(text).then((copied) =>
      setNote(copied ? `Copied ${what}.` : 'The browser does not let this page copy.'),
    );
  const own = {
    ...props,
    hits,
    layout,
    list,
    onNote: setNote,
    onMark: toggleMark,
    onCompare: () => setComparing(true),
    onCopy: copy,
    onMenu: (value: ClickedValue) => setMenu({ value }),
    onFold: toggle,
    onNewest: () => (newer > 0 ? takeIn() : list.move(-Infinity)),
  };
  const { field, onKeyDown } = useRowKeys(own);
  return (
    <div className={classes.frame}>
      {newer > 0 && <Newer count={newer} onTakeIn={takeIn} />}
      <div
        ref={scroller}
        className={classes.scroller}
        onScroll={list.onScroll}
        onKeyDown={onKeyDown}
        onMouseDown={(event) => {
          // Shift marks: it would also select all text from the click before.
          if (event.shiftKey) event.preventDefault();
        }}
        onMouseUp={() => {
          const text = selectedIn(scroller.current, getSelection());
          if (text !== null) setMenu({ text });
        }}
        onClick={(event) => clickOn(event, own)}
      >
        <MessageTable
          {...props}
          hits={hits}
          layout={layout}
          folds={folds}
          list={list}
          field={field}
          onStatistics={rank}
        />
        <div className={classes.end}>
          {loadingMore && <Loader size="xs" aria-label="Loading older messages" />}
          {!all.hasMore && 'No older messages in this range.'}
        </div>
      </div>
      <MarksBar
        marks={state.marks}
        note={note}
        onCompare={() => setComparing(true)}
        onClear={() => onChange({ marks: [] })}
      />
      <ListMenus
        open={menu}
        onClose={() => setMenu(null)}
        query={state.query}
        loaded={() => all.messages}
        messageOf={(row) => messages[row]}
        onQuery={(query) => onAsk({ query })}
        onCopy={copy}
      />
      {comparing && (
        <Suspense>
          <Compare
            ids={state.marks}
            known={all.messages}
            onRemove={toggleMark}
            onClose={() => setComparing(false)}
          />
        </Suspense>
      )}
    </div>
  );
});

const NO_COLUMNS: readonly string[] = [];

type ClickProps = Pick<Props, 'state' | 'messages' | 'onChange'> & {
  list: List;
  onMark: (id: string) => void;
  onMenu: (clicked: ClickedValue) => void;
  onFold: (id: string) => void;
};

/** A click on a value opens its menu, on the rest of a row its details; with Shift it marks. */
function clickOn(event: MouseEvent, props: ClickProps) {
  const { state, messages, list, onChange, onMark, onMenu, onFold } = props;
  const clicked = clickedIn(event);
  const message = messages[clicked?.row ?? -1];
  if (clicked === null || message === undefined) return;
  list.go(clicked.row);
  switch (clicked.on.kind) {
    case 'fold':
      onFold(message.id);
      return;
    case 'value':
      onMenu(clicked.on.value);
      return;
    case 'rest':
      if (event.shiftKey) onMark(message.id);
      else onChange({ open: state.open === message.id ? null : message.id });
  }
}

const NOW_MS = 5_000;

type MessageTableProps = {
  state: SearchState;
  messages: readonly Message[];
  hits: Hits;
  layout: RowLayout;
  folds: Folded['folds'];
  hasMore: boolean;
  list: List;
  /** The field that the cursor stands on. */
  field: string | null;
  onChange: (part: Partial<SearchState>) => void;
  onStatistics: (field: string) => void;
};

/** The rows of the list: messages, and a line wherever another day begins. */
function MessageTable(props: MessageTableProps) {
  const { state, messages, hits, layout, folds, list, field, hasMore } = props;
  const { virtualizer, rows, zone, cursor, room, linePx } = list;
  const { view, columns, times, wrap } = state;
  const now = useNow(times === 'relative');
  const firstPlace = virtualizer.range?.startIndex ?? 0;
  const tabStop = cursor.index === -1 ? firstPlace : placeOf(rows, cursor.index);
  return (
    <MessageList
      {...{ view, columns, times, layout, room, linePx }}
      label="Messages"
      day={dayShown(rows, firstPlace)}
      rowCount={hasMore ? -1 : rows.count + 1}
      height={virtualizer.getTotalSize()}
      onColumns={(chosen) => props.onChange({ columns: chosen })}
      onStatistics={props.onStatistics}
    >
      {virtualizer.getVirtualItems().map(({ index: place, key, start }) => {
        const row = rowAt(rows, place);
        const message = row.kind === 'message' ? messages[row.index] : undefined;
        const isCurrent = message !== undefined && message.id === cursor.id;
        const measure = list.isMeasured ? virtualizer.measureElement : null;
        return (
          <ListItem key={key} index={place} start={start} measure={measure}>
            {row.kind === 'day' && <DayRow day={row.day} rowIndex={place + 2} />}
            {row.kind === 'message' && message !== undefined && (
              <MessageRow
                {...{ view, columns, message, hits, layout, times, zone, now, wrap }}
                fold={folds.get(message.id)}
                index={row.index}
                rowIndex={place + 2}
                current={isCurrent}
                field={isCurrent ? field : null}
                open={message.id === state.open}
                marked={state.marks.includes(message.id)}
                focusable={place === tabStop}
              />
            )}
          </ListItem>
        );
      })}
    </MessageList>
  );
}

function DayRow({ day, rowIndex }: { day: string; rowIndex: number }) {
  return (
    <div role="row" aria-rowindex={rowIndex} className={rowsClasses.day}>
      <span role="cell">{dayLabel(day)}</span>
    </div>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  const { start, stop } = useInterval(() => setNow(Date.now()), NOW_MS);
  useEffect(() => {
    if (ticking) start();
    return stop;
  }, [ticking, start, stop]);
  return ticking ? now : 0;
}

type NewerProps = { count: number; onTakeIn: () => void };

/** Says in the head of the list how many messages have come since, and takes them in. Never over a row. */
function Newer({ count, onTakeIn }: NewerProps) {
  return (
    <button
      type="button"
      className={newerClasses.newer}
      title="Show them (Home)"
      onClick={onTakeIn}
    >
      <IconArrowUp size={12} aria-hidden />
      {formatCount(count)} new
    </button>
  );
}

const REST_MS = 1_000;

/** The number of messages that are newer than the newest in the list, while the list stands still. */
function useNewer(state: SearchState, messages: readonly Message[], enabled: boolean) {
  const from = messages[0]?.time ?? null;
  // Those of the very same moment that are in the list are counted too.
  const listed = messages.findIndex(({ time }) => time !== from);
  const { data, refetch } = useQuery({
    queryKey: ['newer', scopeOf(state), from],
    queryFn: ({ signal }) => {
      const body = { ...scopeOf(state), from };
      return unwrap(client.POST('/api/v1/count', { body, signal }));
    },
    // Only when something was stored.
    enabled: false,
  });
  const counts = enabled && from !== null;
  useOnStored(counts, REST_MS, refetch);
  if (!counts || data === undefined) return 0;
  return Math.max(0, data.count - (listed === -1 ? messages.length : listed));
}
