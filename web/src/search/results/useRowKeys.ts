/** The keys of the list: moving as in a pager, and what can be done with the row that the cursor is on. */
import type { KeyboardEvent } from 'react';
import { useKeys } from '../../ui/useKeys';

export type RowActions = {
  /** By this many rows; infinite means the first or the last one. */
  move: (rows: number) => void;
  /** To the newest message there is. */
  newest: () => void;
  page: (direction: 1 | -1) => void;
  column: (direction: 1 | -1) => void;
  error: (direction: 1 | -1) => void;
  hit: (direction: 1 | -1) => void;
  filter: (exclude: boolean) => void;
  close: () => void;
  context: () => void;
  fold: () => void;
  mark: () => void;
  compare: () => void;
  copyRaw: () => void;
  copyLink: () => void;
  menu: () => void;
  wrap: () => void;
  view: () => void;
};

export function useRowKeys(actions: RowActions): (event: KeyboardEvent) => void {
  useKeys({
    j: { does: 'Next message', run: () => actions.move(1) },
    k: { does: 'Previous message', run: () => actions.move(-1) },
    h: { does: 'Value to the left', run: () => actions.column(-1) },
    l: { does: 'Value to the right', run: () => actions.column(1) },
    e: { does: 'Next error', run: () => actions.error(1) },
    E: { does: 'Previous error', run: () => actions.error(-1) },
    n: { does: 'Next message with a hit', run: () => actions.hit(1) },
    N: { does: 'Previous message with a hit', run: () => actions.hit(-1) },
    '+': { does: 'Only messages with this value', run: () => actions.filter(false) },
    '-': { does: 'Without messages with this value', run: () => actions.filter(true) },
    '.': { does: 'What can be done with this value', run: actions.menu },
    c: { does: 'The messages around this one', run: actions.context },
    f: { does: 'Show or fold messages of this kind', run: actions.fold },
    x: { does: 'Mark to compare', run: actions.mark },
    C: { does: 'Compare the marked messages', run: actions.compare },
    y: { does: 'Copy the raw message', run: actions.copyRaw },
    Y: { does: 'Copy the link to the message', run: actions.copyLink },
    w: { does: 'Wrap long messages', run: actions.wrap },
    v: { does: 'Lines or table', run: actions.view },
    Escape: actions.close,
  });
  // These mean something to other parts of the page too: they work only while the list has the focus.
  const within: Readonly<Record<string, () => void>> = {
    ArrowDown: () => actions.move(1),
    ArrowUp: () => actions.move(-1),
    ArrowLeft: () => actions.column(-1),
    ArrowRight: () => actions.column(1),
    Home: actions.newest,
    End: () => actions.move(Infinity),
    PageDown: () => actions.page(1),
    PageUp: () => actions.page(-1),
  };
  return (event) => {
    const action = within[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
}
