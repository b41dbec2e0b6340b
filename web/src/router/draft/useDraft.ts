/** The draft of this browser tab, with its undo history; both survive a reload and a login. */
import { useSessionStorage } from '@mantine/hooks';
import { useCallback } from 'react';
import type { Draft } from './edits';
import { type Undo, type UndoAction, begun, undoReducer } from './undo';

/** Session storage holds a few megabytes: a long history of a huge document does not fit. */
const STORED_MAX = 1_000_000;

export type DraftUndo = Undo<Draft | null>;

export function useDraft(): readonly [DraftUndo, (action: UndoAction<Draft | null>) => void] {
  const [undo, setUndo] = useSessionStorage<DraftUndo>({
    key: 'logstead-router-drafts',
    defaultValue: begun(null),
    getInitialValueInEffect: false,
    serialize,
  });
  const act = useCallback(
    (action: UndoAction<Draft | null>) => setUndo((before) => undoReducer(before, action)),
    [setUndo],
  );
  return [undo, act];
}

function serialize(undo: DraftUndo): string {
  const text = JSON.stringify(undo);
  return text.length <= STORED_MAX ? text : JSON.stringify(begun(undo.present));
}
