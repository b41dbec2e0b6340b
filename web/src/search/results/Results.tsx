/** The messages, newest first: navigation, and the actions on each of them. */
import { Loader } from '@mantine/core';
import {
  type KeyboardEvent,
  type MouseEvent,
  Suspense,
  memo,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { useInterval } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazyPart } from '../../api/code';
import type { Message, QueryEdit } from '../../api/model';
import { copyText } from '../../ui/clipboard';
import { type Hits, hasHit, hitsIn, textHits } from '../../ui/highlight';
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
import { permalink, scopeOf } from '../../messages/messageState';
import { lineFields } from '../../messages/list/lineOrder';
import { useValueKeys } from '../../messages/list/useValueKeys';
import { valuesOf } from '../../ui/message/fields';
import { useKeys } from '../../ui/useKeys';
import { useOnStored } from '../useOnStored';
import { type List, useList } from './useList';
import { dayShown, findFrom, placeOf, rowAt } from './rows';
import classes from './Results.module.css';
import rowsClasses from '../../messages/list/Rows.module.css';
import newerClasses from './Newer.module.css';

const Compare = lazyPart(() => import('../compare/Compare'), 'Compare');

type Props = {
  state: SearchState;
  messages: readonly Message[];
  /**
   * The newest messages, which decide how the list is drawn. They change only with a new answer.
   */
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
  /** Whether new messages are shown automatically. */
  live: boolean;
  /** Shows the messages that have arrived since, the newest first. */
  onTakeIn: () => void;
  onAtTop: (atTop: boolean) => void;
};

/** Drawn again if its own answer changes, but not if the counts beside it do. */
export const Results = memo(function Results(all: Props) {
  const { messages, folds, toggle } = useFolded(all.messages, all.state.open);
  // A list that is refreshed consists of its newest page, however few rows it has.
  const props = { ...all, messages, hasMore: all.hasMore && !all.live };
  const { state, first, loadingMore, onAsk, onChange } = props;
  const hits = useMemo(() => textHits(all.hits), [all.hits]);
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
          // With Shift, a click marks a message: the browser would also select all text since the last click.
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

/**
 * A click on a value opens its menu, and a click elsewhere in a row opens its details; with Shift
 * it marks the message.
 */
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
  /** The field that the cursor is on. */
  field: string | null;
  onChange: (part: Partial<SearchState>) => void;
  onStatistics: (field: string) => void;
};

/** The rows of the list: messages, and a line at each start of a new day. */
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

/**
 * Shows at the head of the list how many messages have arrived since, and adds them on a click. It
 * never covers a row.
 */
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

/**
 * The number of messages that are newer than the newest one in the list, while the list is not
 * refreshed.
 */
function useNewer(state: SearchState, messages: readonly Message[], enabled: boolean) {
  const from = messages[0]?.time ?? null;
  // The count includes messages in the list that have exactly this time.
  const listed = messages.findIndex(({ time }) => time !== from);
  const { data, refetch } = useQuery({
    queryKey: ['newer', scopeOf(state), from],
    queryFn: ({ signal }) => {
      const body = { ...scopeOf(state), from };
      return unwrap(client.POST('/api/v1/count', { body, signal }));
    },
    // Requested only after something was stored.
    enabled: false,
  });
  const counts = enabled && from !== null;
  useOnStored(counts, REST_MS, refetch);
  if (!counts || data === undefined) return 0;
  return Math.max(0, data.count - (listed === -1 ? messages.length : listed));
}

/** Syslog's `err` and the worse severities. */
const ERROR_SEVERITY = 3;

type UseRowKeysProps = {
  state: SearchState;
  messages: readonly Message[];
  hits: Hits;
  layout: RowLayout;
  hasMore: boolean;
  list: List;
  onMore: () => void;
  /** Goes to the newest message. */
  onNewest: () => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onChange: (part: Partial<SearchState>) => void;
  onNote: (note: string) => void;
  onMark: (id: string) => void;
  onCompare: () => void;
  onCopy: (text: string, what: string) => void;
  onMenu: (clicked: ClickedValue) => void;
  onFold: (id: string) => void;
};

/**
 * The keys of the list: moving as in a pager, and what can be done with the row that the cursor is
 * on. The field that the cursor is on, and the keys that work only while the list has the focus.
 */
function useRowKeys(props: UseRowKeysProps) {
  const { state, messages, layout, list, onChange, onNote, onCopy } = props;
  const { scroller, cursor } = list;
  const fields = state.view === 'table' ? state.columns : lineFields(layout);
  const current = messages[cursor.index];
  const onRow = (run: (message: Message) => void) => () => current !== undefined && run(current);
  const find = finder(props);
  const error = ({ severity }: Message) => severity !== null && severity <= ERROR_SEVERITY;
  const hit = (message: Message) => isHit(message, props.hits);
  const { field, step, keys } = useValueKeys({
    fields: fields.length === 0 ? ['host'] : fields,
    current: () =>
      current && {
        message: current,
        cell: scroller.current?.querySelector('[data-current="true"] [data-cursor="true"]'),
      },
    enabled: true,
    onContext: ({ id }) => onChange({ open: id, tab: 'context' }),
    onCopyRaw: ({ raw }) => onCopy(raw, 'the raw message'),
    onFilter: props.onFilter,
    onMenu: props.onMenu,
    onNoValue: (name) => onNote(`There is no ${name} under the cursor: j and k move it.`),
  });
  useKeys({
    j: { does: 'Next message', run: () => list.move(1) },
    k: { does: 'Previous message', run: () => list.move(-1) },
    ...keys,
    e: { does: 'Next error', run: () => find('error', 1, error) },
    E: { does: 'Previous error', run: () => find('error', -1, error) },
    n: { does: 'Next message with a hit', run: () => find('hit', 1, hit) },
    N: { does: 'Previous message with a hit', run: () => find('hit', -1, hit) },
    f: { does: 'Show or fold messages of this kind', run: onRow(({ id }) => props.onFold(id)) },
    x: { does: 'Mark to compare', run: onRow(({ id }) => props.onMark(id)) },
    C: {
      does: 'Compare the marked messages',
      run: () =>
        state.marks.length < 2
          ? onNote('Mark two messages or more with x to compare them.')
          : props.onCompare(),
    },
    Y: {
      does: 'Copy the link to the message',
      run: onRow(({ id }) => onCopy(new URL(permalink(id), location.href).href, 'the link')),
    },
    w: { does: 'Wrap long messages', run: () => onChange({ wrap: !state.wrap }) },
    v: {
      does: 'Lines or table',
      run: () => onChange({ view: state.view === 'lines' ? 'table' : 'lines' }),
    },
    Escape: () => {
      if (isInPopup()) return;
      if (state.open !== null) onChange({ open: null });
      // The same key may just have closed a dialog, so only a list that has the focus gives up its row.
      else if (scroller.current?.contains(document.activeElement) === true) cursor.clear();
    },
  });
  // These keys have meanings in other parts of the page, too.
  const within: Readonly<Record<string, () => void>> = {
    ArrowDown: () => list.move(1),
    ArrowUp: () => list.move(-1),
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    Home: props.onNewest,
    End: () => list.move(Infinity),
    PageDown: () => list.page(1),
    PageUp: () => list.page(-1),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = within[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
  return { field, onKeyDown };
}

/** Goes to the next message that fulfils a condition, or states why there is none. */
function finder({ messages, list, hasMore, onMore, onNote }: UseRowKeysProps) {
  return (what: string, step: 1 | -1, passes: (message: Message) => boolean) => {
    const found = findFrom(messages, list.cursor.index, step, passes);
    if (found !== null) {
      list.go(found);
    } else if (step === 1 && hasMore) {
      onMore();
      onNote(`No ${what} among the messages loaded so far; loading older ones.`);
    } else {
      onNote(`No ${what} further ${step === 1 ? 'down' : 'up'}.`);
    }
  };
}

/** Whether the Escape key belongs to a menu or a dialog. */
function isInPopup(): boolean {
  return document.activeElement?.closest('[data-portal], [role="menu"], [role="dialog"]') != null;
}

function isHit(message: Message, hits: Hits): boolean {
  return ['message', 'host', 'program'].some((field) =>
    valuesOf(message, field).some((value) => hasHit(value, hitsIn(hits, field))),
  );
}
