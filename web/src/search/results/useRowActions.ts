/** What the keys of the list do with the row and the value that the cursor is on. */
import { useState } from 'react';
import type { Message } from '../../api/model';
import { type Hits, hasHit, hitsIn } from '../../ui/highlight';
import { valuesOf } from '../../ui/message/fields';
import type { Look } from '../../ui/message/look';
import type { SearchState } from '../searchParams';
import type { ClickedValue } from '../../messages/list/clicked';
import { lineFields } from '../../messages/list/lineFields';
import { permalink } from '../../messages/links';
import { findFrom } from './rows';
import type { List } from './useList';
import type { RowActions } from './useRowKeys';

/** Syslog's `err` and what is worse. */
const ERROR_SEVERITY = 3;

type Props = {
  state: SearchState;
  messages: readonly Message[];
  hits: Hits;
  look: Look;
  hasMore: boolean;
  list: List;
  onMore: () => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onChange: (part: Partial<SearchState>) => void;
  onNote: (note: string) => void;
  onMark: (id: string) => void;
  onCompare: () => void;
  onCopy: (text: string, what: string) => void;
  onMenu: (clicked: ClickedValue) => void;
  onFold: (id: string) => void;
};

/** The actions, and the field that the cursor stands on. */
export function useRowActions(props: Props): {
  field: string;
  actions: Omit<RowActions, 'newest'>;
} {
  const { state, messages, list, onChange, onNote, onMark } = props;
  const { scroller, cursor } = list;
  const [fieldAt, setFieldAt] = useState(0);
  const fields = state.view === 'table' ? state.columns : lineFields(props.look);
  const field = fields[Math.min(fieldAt, fields.length - 1)] ?? 'host';
  const current = messages[cursor.index];
  const find = finder(props);
  const withCurrent = (then: (message: Message) => void) => current !== undefined && then(current);
  const withValue = (then: (value: string) => void) => {
    const value = current === undefined ? undefined : valuesOf(current, field)[0];
    if (value === undefined) onNote(`There is no ${field} under the cursor: j and k move it.`);
    else then(value);
  };
  const actions: Omit<RowActions, 'newest'> = {
    move: list.move,
    page: list.page,
    column: (step) => setFieldAt(Math.min(Math.max(fieldAt + step, 0), fields.length - 1)),
    error: (step) =>
      find('error', step, ({ severity }) => severity !== null && severity <= ERROR_SEVERITY),
    hit: (step) => find('hit', step, (message) => isHit(message, props.hits)),
    filter: (exclude) => withValue((value) => props.onFilter(field, value, exclude)),
    close: () => {
      if (isInPopup()) return;
      if (state.open !== null) onChange({ open: null });
      // The same key may just have closed a dialog: only a list that has the focus lets go of its row.
      else if (scroller.current?.contains(document.activeElement) === true) cursor.clear();
    },
    context: () => withCurrent(({ id }) => onChange({ open: id, tab: 'context' })),
    fold: () => withCurrent(({ id }) => props.onFold(id)),
    mark: () => withCurrent(({ id }) => onMark(id)),
    compare: () =>
      state.marks.length < 2
        ? onNote('Mark two messages or more with x to compare them.')
        : props.onCompare(),
    copyRaw: () => withCurrent(({ raw }) => props.onCopy(raw, 'the raw message')),
    copyLink: () =>
      withCurrent(({ id }) => props.onCopy(new URL(permalink(id), location.href).href, 'the link')),
    menu: () =>
      withValue((value) => {
        const at = scroller.current?.querySelector('[data-current="true"] [data-cursor="true"]');
        if (at != null) props.onMenu({ field, value, at: at.getBoundingClientRect() });
      }),
    wrap: () => onChange({ wrap: !state.wrap }),
    view: () => onChange({ view: state.view === 'lines' ? 'table' : 'lines' }),
  };
  return { field, actions };
}

/** Goes to the next message that passes, or says why there is none. */
function finder({ messages, list, hasMore, onMore, onNote }: Props) {
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
