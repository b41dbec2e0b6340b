/** The keys of the list: moving as in a pager, and what can be done with the row that the cursor is on. */
import type { KeyboardEvent } from 'react';
import type { Message } from '../../api/model';
import { permalink } from '../../messages/messageState';
import type { ClickedValue } from '../../messages/list/click';
import { lineFields } from '../../messages/list/lineOrder';
import { useValueKeys } from '../../messages/list/useValueKeys';
import { type Hits, hasHit, hitsIn } from '../../ui/highlight';
import { valuesOf } from '../../ui/message/fields';
import type { RowLayout } from '../../ui/message/rowLayout';
import { useKeys } from '../../ui/useKeys';
import type { SearchState } from '../searchParams';
import { findFrom } from './rows';
import type { List } from './useList';

/** Syslog's `err` and what is worse. */
const ERROR_SEVERITY = 3;

type Props = {
  state: SearchState;
  messages: readonly Message[];
  hits: Hits;
  layout: RowLayout;
  hasMore: boolean;
  list: List;
  onMore: () => void;
  /** Goes to the newest message there is. */
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

/** The field that the cursor is on, and the keys that work only while the list has the focus. */
export function useRowKeys(props: Props) {
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
      // The same key may just have closed a dialog: only a list that has the focus lets go of its row.
      else if (scroller.current?.contains(document.activeElement) === true) cursor.clear();
    },
  });
  // These mean something to other parts of the page too.
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
