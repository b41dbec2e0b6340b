/** Changes to the saved searches. A deleted one can be brought back. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { savedSearchesQuery } from '../../api/savedSearches';
import { addSaved, removeSaved, replaceSaved } from './queries';
import { type SavedSearch, type SearchToSave, withoutHistory } from './saved';

export type Change =
  | { kind: 'add'; search: SearchToSave }
  | { kind: 'replace'; saved: SavedSearch; search: SearchToSave }
  | { kind: 'remove'; saved: SavedSearch };

export function useChanges() {
  const queryClient = useQueryClient();
  const [removed, setRemoved] = useState<SavedSearch | null>(null);
  const change = useMutation({
    mutationFn: async (change: Change) => {
      setRemoved(null);
      switch (change.kind) {
        case 'add':
          await addSaved(change.search);
          break;
        case 'replace':
          await replaceSaved(change.saved.id, change.search);
          break;
        case 'remove':
          await removeSaved(change.saved.id);
          setRemoved(change.saved);
      }
    },
    // Also after a failure: another user may have changed it.
    onSettled: () => queryClient.invalidateQueries(savedSearchesQuery),
  });
  const undo = () => {
    if (removed !== null) change.mutate({ kind: 'add', search: withoutHistory(removed) });
  };
  return { change, removed, undo };
}
