/** The messages, newest first: moving among them, and what can be done with each. */
import { Loader } from '@mantine/core';
import { type MouseEvent, Suspense, lazy, useEffect, useState } from 'react';
import type { Message } from '../../api/model';
import { copyText } from '../../ui/clipboard';
import { type Hits, hasHit, hitsIn } from '../../ui/highlight';
import { valuesOf } from '../../ui/message/fields';
import { useEdit } from '../../ui/query/useEdit';
import type { SearchState } from '../searchParams';
import { MARKS_MAX, MarksBar } from './MarksBar';
import { MessageTable } from './MessageTable';
import { type ClickedValue, ValueMenu } from './ValueMenu';
import { permalink } from './links';
import { findFrom } from './rows';
import { useList } from './useList';
import { useNewer } from './useNewer';
import { useRowKeys } from './useRowKeys';
import classes from './Results.module.css';

const Compare = lazy(async () => ({ default: (await import('../compare/Compare')).Compare }));

const NOTE_MS = 4_000;

/** Syslog's `err` and what is worse. */
const ERROR_SEVERITY = 3;

/** The fields that the cursor can stand on in a line. */
const LINE_FIELDS: readonly string[] = ['host', 'program'];

type Props = {
  state: SearchState;
  messages: readonly Message[];
  hits: Hits;
  hasMore: boolean;
  loadingMore: boolean;
  onMore: () => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onAsk: (part: Partial<SearchState>) => void;
  onChange: (part: Partial<SearchState>) => void;
  onRefresh: () => void;
  onAtTop: (atTop: boolean) => void;
};

export function Results(props: Props) {
  const { state, messages, hasMore, loadingMore, onMore, onFilter, onAsk, onChange } = props;
  const list = useList(props);
  const edit = useEdit(state.query);
  const rank = (name: string) => edit([{ op: 'top', field: name }], (query) => onAsk({ query }));
  const { scroller, virtualizer, cursor } = list;
  const [fieldAt, setFieldAt] = useState(0);
  const [clicked, setClicked] = useState<ClickedValue | null>(null);
  const [comparing, setComparing] = useState(false);
  const [note, setNote] = useNote();
  const newer = useNewer(state, messages, list.stands);
  const fields = state.view === 'table' ? state.columns : LINE_FIELDS;
  const field = fields[Math.min(fieldAt, fields.length - 1)] ?? 'host';
  const current = messages[cursor.index];

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
  const find = (what: string, step: 1 | -1, passes: (message: Message) => boolean) => {
    const found = findFrom(messages, cursor.index, step, passes);
    if (found !== null) {
      list.go(found);
      return;
    }
    if (step === 1 && hasMore) onMore();
    setNote(
      step === 1 && hasMore
        ? `No ${what} among the messages loaded so far; loading older ones.`
        : `No ${what} further ${step === 1 ? 'down' : 'up'}.`,
    );
  };
  const withValue = (then: (value: string) => void) => {
    const value = current === undefined ? undefined : valuesOf(current, field)[0];
    if (value === undefined) setNote(`There is no ${field} under the cursor: j and k move it.`);
    else then(value);
  };

  const actions = {
    move: list.move,
    page: list.page,
    column: (step: 1 | -1) => setFieldAt(Math.min(Math.max(fieldAt + step, 0), fields.length - 1)),
    error: (step: 1 | -1) =>
      find('error', step, ({ severity }) => severity !== null && severity <= ERROR_SEVERITY),
    hit: (step: 1 | -1) => find('hit', step, (message) => isHit(message, props.hits)),
    filter: (exclude: boolean) => withValue((value) => onFilter(field, value, exclude)),
    close: () => {
      if (isInPopup()) return;
      if (state.open !== null) onChange({ open: null });
      // A dialog may just have gone by the same key: only a list that has the focus lets go of its row.
      else if (scroller.current?.contains(document.activeElement) === true) cursor.clear();
    },
    context: () => current !== undefined && onChange({ open: current.id, tab: 'context' }),
    mark: () => current !== undefined && toggleMark(current.id),
    compare: () =>
      state.marks.length < 2
        ? setNote('Mark two messages or more with x to compare them.')
        : setComparing(true),
    copyRaw: () => current !== undefined && copy(current.raw, 'the raw message'),
    copyLink: () =>
      current !== undefined && copy(new URL(permalink(current.id), location.href).href, 'the link'),
    menu: () =>
      withValue((value) => {
        const at = scroller.current?.querySelector('[data-current="true"] [data-cursor="true"]');
        if (at !== null && at !== undefined)
          setClicked({ field, value, at: at.getBoundingClientRect() });
      }),
    wrap: () => onChange({ wrap: !state.wrap }),
    view: () => onChange({ view: state.view === 'lines' ? 'table' : 'lines' }),
  };
  const onKeyDown = useRowKeys(actions);

  const onClick = (event: MouseEvent) => {
    const { target } = event;
    // Whoever drags over a row wants its text, not its details.
    const isText = getSelection()?.isCollapsed === false && !event.shiftKey;
    if (!(target instanceof Element) || isText) return;
    const value = target.closest<HTMLElement>('[data-field]');
    const index = Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? NaN);
    const message = messages[index];
    if (message === undefined) return;
    list.go(index);
    if (value !== null) setClicked(clickedValue(value));
    else if (event.shiftKey) toggleMark(message.id);
    else onChange({ open: state.open === message.id ? null : message.id });
  };

  return (
    <div className={classes.frame}>
      <div
        ref={scroller}
        className={classes.scroller}
        onScroll={list.onScroll}
        onKeyDown={onKeyDown}
        onMouseDown={(event) => {
          // Shift marks: it would also select all text from the click before.
          if (event.shiftKey) event.preventDefault();
        }}
        onClick={onClick}
      >
        <MessageTable {...props} list={list} field={field} onStatistics={rank} />
        <div className={classes.end}>
          {loadingMore && <Loader size="xs" aria-label="Loading older messages" />}
          {!hasMore && 'No older messages in this range.'}
        </div>
      </div>
      <MarksBar
        marks={state.marks}
        note={note}
        newer={newer}
        onCompare={() => setComparing(true)}
        onClear={() => onChange({ marks: [] })}
        onNewest={() => {
          cursor.clear();
          virtualizer.scrollToOffset(0);
          if (state.open !== null) props.onRefresh();
        }}
      />
      <ValueMenu
        clicked={clicked}
        onClose={() => setClicked(null)}
        onFilter={onFilter}
        onOnly={(name, value) =>
          edit([{ op: 'only', field: name, value }], (query) => onAsk({ query }))
        }
        onCopy={(text) => copy(text, 'the value')}
        onStatistics={rank}
      />
      {comparing && (
        <Suspense>
          <Compare
            ids={state.marks}
            known={messages}
            onRemove={toggleMark}
            onClose={() => setComparing(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** What a key had to say; it goes away by itself. */
function useNote() {
  const [note, setNote] = useState('');
  useEffect(() => {
    if (note === '') return;
    const timer = setTimeout(() => setNote(''), NOTE_MS);
    return () => clearTimeout(timer);
  }, [note]);
  return [note, setNote] as const;
}

function clickedValue(element: HTMLElement): ClickedValue {
  const { field = '', value = '' } = element.dataset;
  return { field, value, at: element.getBoundingClientRect() };
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
