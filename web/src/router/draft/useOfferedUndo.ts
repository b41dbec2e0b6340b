/** Offers to take back what was just removed, until something else is done with the draft. */
import { useCallback, useEffect, useRef } from 'react';
import { dismissToast, toast } from '../../ui/toast';
import type { Draft } from './edits';
import type { UndoAction } from './undo';

type Act = (action: UndoAction<Draft | null>) => void;

/** Acts on the draft, and does so saying it, with the way back. */
export function useOfferedUndo(onAct: Act): readonly [Act, (said: string) => void] {
  const offered = useRef<number | null>(null);
  const withdraw = useCallback(() => {
    if (offered.current !== null) dismissToast(offered.current);
    offered.current = null;
  }, []);
  useEffect(() => withdraw, [withdraw]);
  const act = useCallback<Act>(
    (action) => {
      // To undo would now take back something else.
      withdraw();
      onAct(action);
    },
    [onAct, withdraw],
  );
  const offer = useCallback(
    (said: string) => {
      const action = { label: 'Undo', run: () => act({ type: 'undo' }) };
      offered.current = toast({ tone: 'info', title: said, action });
    },
    [act],
  );
  return [act, offer];
}
