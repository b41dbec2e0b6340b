/** The messages, newest first: moving among them, and what can be done with each. */
import { Loader } from '@mantine/core';
import { type MouseEvent, Suspense, lazy, memo, useMemo, useState } from 'react';
import { fetched } from '../../api/code';
import type { Message, QueryEdit } from '../../api/model';
import { copyText } from '../../ui/clipboard';
import { type Hits, textHits } from '../../ui/highlight';
import type { Common } from '../../ui/message/rowLayout';
import { canRefresh } from '../../ui/range';
import type { SearchState } from '../searchParams';
import { MARKS_MAX, MarksBar, useNote } from './MarksBar';
import { MessageTable } from './MessageTable';
import { Newer, useNewer } from './Newer';
import { ListMenus, type OpenMenu } from '../../messages/list/ListMenus';
import { selectedIn } from '../../messages/list/SelectionMenu';
import { type ClickedValue, clickedIn } from '../../messages/list/click';
import { useFolded } from '../../messages/list/folds';
import { useRowLayout } from '../../messages/list/useRowLayout';
import { type List, useList } from './useList';
import { useRowKeys } from './useRowKeys';
import classes from './Results.module.css';

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
