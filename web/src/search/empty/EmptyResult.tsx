/** Why nothing was found, and the next step: the clause that is to blame, the nearest match, a wider search. */
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../ui/Empty';
import { useEdit } from '../../ui/query/useEdit';
import { useSetsRange } from '../../ui/query/useReading';
import { ClauseCounts } from './ClauseCounts';
import { NearestMatch } from './NearestMatch';
import { SourceHealth } from './SourceHealth';
import { countQuery, nearestQuery } from './emptyQueries';
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
  const isBounded = state.range.kind !== 'all' && !setsRange;
  const { data: nearest } = useQuery({ ...nearestQuery(state), enabled: isBounded });
  // To look elsewhere would find nothing either.
  const isNowhere = isBounded && nearest === null;
  const searchAllTime = () =>
    edit([{ op: 'set_range' }], (query) => onChange({ ...state, query, range: { kind: 'all' } }));
  return (
    <Empty title={everything ? 'No messages in this range' : 'No message matches'}>
      <p>
        {isSilent
          ? 'There is nothing to search in this range, so it is not the query.'
          : 'All words must match, each as a whole word. Wildcards such as conn* match parts of one.'}
      </p>
      {isSilent && <SourceHealth />}
      {!isSilent && <ClauseCounts state={state} onUse={(query) => onChange({ ...state, query })} />}
      {isBounded && (
        <NearestMatch state={state} onRange={(range) => onChange({ ...state, range })} />
      )}
      <Group gap={8}>
        {(state.range.kind !== 'all' || setsRange) && !isNowhere && (
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
