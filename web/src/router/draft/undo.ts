/** Undo and redo for the edits of a draft. A pure reducer over any kind of state. */

/** The maximum number of steps that can be undone; the oldest ones are dropped. */
export const UNDO_MAX = 100;

export type Undo<State> = {
  past: readonly State[];
  present: State;
  future: readonly State[];
  /** The subject of the last edit: continued typing in the same field is a single step. */
  mark: string | null;
};

export type UndoAction<State> =
  | { type: 'edit'; state: State; mark: string | null }
  | { type: 'undo' }
  | { type: 'redo' }
  | { type: 'reset'; state: State };

export function begun<State>(state: State): Undo<State> {
  return { past: [], present: state, future: [], mark: null };
}

export function undoReducer<State>(undo: Undo<State>, action: UndoAction<State>): Undo<State> {
  switch (action.type) {
    case 'edit':
      return edit(undo, action.state, action.mark);
    case 'undo':
      return back(undo);
    case 'redo':
      return forward(undo);
    case 'reset':
      return begun(action.state);
  }
}

function edit<State>(undo: Undo<State>, state: State, mark: string | null): Undo<State> {
  if (Object.is(state, undo.present)) return undo;
  const goesOn = mark !== null && mark === undo.mark;
  const past = goesOn ? undo.past : [...undo.past, undo.present].slice(-UNDO_MAX);
  return { past, present: state, future: [], mark };
}

function back<State>(undo: Undo<State>): Undo<State> {
  if (undo.past.length === 0) return undo;
  return {
    past: undo.past.slice(0, -1),
    present: undo.past.at(-1) as State,
    future: [undo.present, ...undo.future],
    mark: null,
  };
}

function forward<State>(undo: Undo<State>): Undo<State> {
  if (undo.future.length === 0) return undo;
  return {
    past: [...undo.past, undo.present],
    present: undo.future[0] as State,
    future: undo.future.slice(1),
    mark: null,
  };
}
