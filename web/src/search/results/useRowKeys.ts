/** The keys of the list: moving as in a pager, and what can be done with the row that the cursor is on. */
import type { KeyboardEvent } from 'react';
import { useKeys } from '../../ui/useKeys';

export type RowActions = {
  /** By this many rows; infinite means the first or the last one. */
  move: (rows: number) => void;
  page: (direction: 1 | -1) => void;
  column: (direction: 1 | -1) => void;
  error: (direction: 1 | -1) => void;
  hit: (direction: 1 | -1) => void;
  filter: (exclude: boolean) => void;
  close: () => void;
  context: () => void;
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
    j: () => actions.move(1),
    k: () => actions.move(-1),
    h: () => actions.column(-1),
    l: () => actions.column(1),
    e: () => actions.error(1),
    E: () => actions.error(-1),
    n: () => actions.hit(1),
    N: () => actions.hit(-1),
    '+': () => actions.filter(false),
    '-': () => actions.filter(true),
    '.': actions.menu,
    c: actions.context,
    x: actions.mark,
    C: actions.compare,
    y: actions.copyRaw,
    Y: actions.copyLink,
    w: actions.wrap,
    v: actions.view,
    Escape: actions.close,
  });
  // These mean something to other parts of the page too: they work only while the list has the focus.
  const within: Readonly<Record<string, () => void>> = {
    ArrowDown: () => actions.move(1),
    ArrowUp: () => actions.move(-1),
    ArrowLeft: () => actions.column(-1),
    ArrowRight: () => actions.column(1),
    Home: () => actions.move(-Infinity),
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
