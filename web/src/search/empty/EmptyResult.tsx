/** Why nothing was found, and the next step: the clause that is to blame, the nearest match, a wider search. */
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../ui/Empty';
import { useEdit } from '../../ui/query/useEdit';
import { useSetsRange } from '../../ui/query/useReading';
import { ClauseCounts } from './ClauseCounts';
import { NearestMatch } from './NearestMatch';
import { SourceHealth } from './SourceHealth';
import { countQuery } from './emptyQueries';
import { type SearchState, isEverything } from '../searchParams';

type Props = {
  state: SearchState;
  onChange: (state: SearchState) => void;
};

export function EmptyResult({ state, onChange }: Props) {
  const everything = isEverything(state.query);
  const { data: received } = useQuery(countQuery(state, '*'));
  const isSilent = everything || received === 0;
  const setsRange = useSetsRange(state.query);
  const edit = useEdit(state.query);
  const searchAllTime = () =>
    edit([{ op: 'set_range' }], (query) => onChange({ ...state, query, range: { kind: 'all' } }));
  return (
    <Empty title={everything ? 'No messages in this time range' : 'No message matches'}>
      <p>
        {isSilent
          ? 'Nothing at all was received here in this time: it is not for the query.'
          : 'Every word of a query must be found, whole; wildcards (conn*) match parts of a word.'}
      </p>
      {isSilent && <SourceHealth />}
      {!isSilent && <ClauseCounts state={state} onUse={(query) => onChange({ ...state, query })} />}
      {state.range.kind !== 'all' && !setsRange && (
        <NearestMatch state={state} onRange={(range) => onChange({ ...state, range })} />
      )}
      <Group gap={8}>
        {(state.range.kind !== 'all' || setsRange) && (
          <Button variant="default" onClick={searchAllTime}>
            Search all time
          </Button>
        )}
        {state.logspaces.length > 0 && (
          <Button variant="default" onClick={() => onChange({ ...state, logspaces: [] })}>
            Search all logspaces
          </Button>
        )}
        {!everything && (
          <Button variant="default" onClick={() => onChange({ ...state, query: '*' })}>
            Show all messages
          </Button>
        )}
      </Group>
    </Empty>
  );
}
