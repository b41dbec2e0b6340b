/** Why nothing was found, and the next step: the clause that is to blame, the nearest match, a wider search. */
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../ui/Empty';
import { useEdit } from '../../ui/query/useEdit';
import { useSetsRange } from '../../ui/query/useReading';
import { ClauseCounts } from './ClauseCounts';
import { NearestMatch } from './NearestMatch';
import { countQuery, nearestQuery, sourcesQuery } from './emptyQueries';
import { type SearchState, isEverything } from '../searchParams';
import { formatAge } from '../../ui/time';
import classes from './Empty.module.css';

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

const SOURCES_MAX = 8;

/** Whether the sources are to blame: when each of them was last heard of. */
export function SourceHealth() {
  const { data, dataUpdatedAt } = useQuery(sourcesQuery);
  if (data === undefined || data.length === 0) return null;
  return (
    <ul className={classes.sources} aria-label="Sources">
      {data.slice(0, SOURCES_MAX).map(({ id, last_seen: seen, last_error: error }) => (
        <li key={id}>
          <strong>{id}</strong>{' '}
          {seen == null ? 'has never sent anything' : `last sent ${formatAge(seen, dataUpdatedAt)}`}
          {error != null && `; ${error}`}
        </li>
      ))}
      {data.length > SOURCES_MAX && <li>{data.length - SOURCES_MAX} others</li>}
    </ul>
  );
}
