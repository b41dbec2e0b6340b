/** The fields of what matched in the last minutes, beside the tails. */
import { useQuery } from '@tanstack/react-query';
import type { QueryEdit } from '../api/model';
import type { MessageState } from '../messages/messageState';
import { Facets } from '../messages/facets/Facets';
import { countsQuery } from '../messages/facets/facetQueries';
import { useEdit } from '../ui/query/useEdit';

/** Counting is work for the server, and the eye needs no more. */
const REFRESH_MS = 10_000;

type Props = {
  state: MessageState;
  paused: boolean;
  onQuery: (query: string) => void;
  onChange: (part: Partial<MessageState>) => void;
};

export function TailFields({ state, paused, onQuery, onChange }: Props) {
  const edit = useEdit(state.query);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...countsQuery(state),
    refetchInterval: paused ? false : REFRESH_MS,
  });
  return (
    <Facets
      state={state}
      facets={data}
      stale={isPlaceholderData}
      error={error}
      onRetry={() => void refetch()}
      onEdit={(edits: readonly QueryEdit[]) => edit(edits, onQuery)}
      onChange={onChange}
    />
  );
}
