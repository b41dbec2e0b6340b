/** The messages, newest first: moving among them, and what can be done with each. */
import { Loader } from '@mantine/core';
import { type MouseEvent, Suspense, lazy, useState } from 'react';
import type { Message } from '../../api/model';
import { copyText } from '../../ui/clipboard';
import type { Hits } from '../../ui/highlight';
import { useEdit } from '../../ui/query/useEdit';
import type { SearchState } from '../searchParams';
import { MARKS_MAX, MarksBar } from './MarksBar';
import { MessageTable } from './MessageTable';
import { type ClickedValue, ValueMenu } from './ValueMenu';
import { type List, useList } from './useList';
import { useNewer } from './useNewer';
import { useNote } from './useNote';
import { useRowActions } from './useRowActions';
import { useRowKeys } from './useRowKeys';
import classes from './Results.module.css';

const Compare = lazy(async () => ({ default: (await import('../compare/Compare')).Compare }));

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
  const { state, messages, hasMore, loadingMore, onFilter, onAsk, onChange } = props;
  const list = useList(props);
  const { scroller } = list;
  const edit = useEdit(state.query);
  const rank = (name: string) => edit([{ op: 'top', field: name }], (query) => onAsk({ query }));
  const [clicked, setClicked] = useState<ClickedValue | null>(null);
  const [comparing, setComparing] = useState(false);
  const [note, setNote] = useNote();
  const newer = useNewer(state, messages, list.stands);
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
    list,
    onNote: setNote,
    onMark: toggleMark,
    onCompare: () => setComparing(true),
    onCopy: copy,
    onMenu: setClicked,
  };
  const { field, actions } = useRowActions(own);
  const onKeyDown = useRowKeys(actions);
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
        onClick={(event) => clickOn(event, own)}
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
          list.cursor.clear();
          list.virtualizer.scrollToOffset(0);
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

type ClickProps = Pick<Props, 'state' | 'messages' | 'onChange'> & {
  list: List;
  onMark: (id: string) => void;
  onMenu: (clicked: ClickedValue) => void;
};

/** A click on a value opens its menu, on the rest of a row its details; with Shift it marks. */
function clickOn(event: MouseEvent, props: ClickProps) {
  const { state, messages, list, onChange, onMark, onMenu } = props;
  const { target } = event;
  // A selection over a row is made for its text, not for its details.
  const isText = getSelection()?.isCollapsed === false && !event.shiftKey;
  if (!(target instanceof Element) || isText) return;
  const value = target.closest<HTMLElement>('[data-field]');
  const index = Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? NaN);
  const message = messages[index];
  if (message === undefined) return;
  list.go(index);
  if (value !== null) onMenu(clickedValue(value));
  else if (event.shiftKey) onMark(message.id);
  else onChange({ open: state.open === message.id ? null : message.id });
}

function clickedValue(element: HTMLElement): ClickedValue {
  const { field = '', value = '' } = element.dataset;
  return { field, value, at: element.getBoundingClientRect() };
}
