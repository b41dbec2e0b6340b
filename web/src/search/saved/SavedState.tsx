/** The saved search that the page was opened with, and whether it has been changed. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { savedSearchesQuery } from '../../api/savedSearches';
import type { SearchState } from '../searchParams';
import { isChanged, keptParts, opened, replaceSaved, toSave } from './saved';
import classes from './SavedState.module.css';

type Props = { state: SearchState; onAsk: (part: Partial<SearchState>) => void };

export function SavedState({ state, onAsk }: Props) {
  const queryClient = useQueryClient();
  const { data } = useQuery(savedSearchesQuery);
  const saved = data?.find(({ id }) => String(id) === state.saved);
  const update = useMutation({
    mutationFn: replaceCurrent,
    onSettled: () => queryClient.invalidateQueries(savedSearchesQuery),
  });
  // It was deleted, or this user may not see it: the page is then a search like any other.
  if (saved === undefined) return null;
  const changed = isChanged(saved, state);
  return (
    <span className="row gap4 minWidth0 meta" role="status">
      <span className={classes.name} title={saved.name}>
        {saved.name}
      </span>
      {changed && <span className="dimmed">changed</span>}
      {changed && (
        <Button variant="subtle" size="compact-xs" onClick={() => onAsk(opened(saved, state))}>
          Reset
        </Button>
      )}
      {changed && saved.mine && (
        <Button
          variant="subtle"
          size="compact-xs"
          loading={update.isPending}
          onClick={() => update.mutate({ saved, state })}
        >
          Update
        </Button>
      )}
      {update.error !== null && <span className="bad">{update.error.message}</span>}
    </span>
  );
}

type Current = { saved: Parameters<typeof isChanged>[0]; state: SearchState };

function replaceCurrent({ saved, state }: Current) {
  const { name, folder, tags, shared } = saved;
  const described = { name, folder, tags, shared, keeps: keptParts(saved) };
  return replaceSaved(saved.id, toSave(state, described));
}
