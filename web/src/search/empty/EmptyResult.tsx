/**
 * Explains why nothing was found, and offers the next step: the clause to blame, the nearest match,
 * or a wider search.
 */
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Table } from '../../ui/Table';
import { Empty } from '../../ui/Empty';
import { useEdit } from '../../ui/query/useEdit';
import { useSetsRange } from '../../ui/query/useReading';
import { CLAUSES_MAX, countQuery, hourAround, nearestQuery, sourcesQuery } from './emptyQueries';
import { type SearchState, isEverything } from '../searchParams';
import { formatAge, formatTime, useZone } from '../../ui/time';
import type { WrittenClause } from '../../api/model';
import { editedQuery } from '../../api/query';
import { formatCount } from '../../ui/number';
import type { TimeRange } from '../../ui/range';
import { explainQuery } from '../query/explain';
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
  // Searching elsewhere would find nothing either.
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
          <Button onClick={searchAllTime}>Search all time</Button>
        )}
        {state.logspaces.length > 0 && (
          <Button onClick={() => onChange({ ...state, logspaces: [] })}>
            Search all logspaces
          </Button>
        )}
        {!everything && (
          <Button onClick={() => onChange({ ...state, query: '*' })}>Show all messages</Button>
        )}
      </Group>
    </Empty>
  );
}

const SOURCES_MAX = 8;

/** Shows when each source last received something, in case the sources are to blame. */
function SourceHealth() {
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

type ClauseCountsProps = { state: SearchState; onUse: (query: string) => void };

/**
 * The matches of each clause alone, and the matches without it, so that the clause to blame stands
 * out.
 */
function ClauseCounts({ state, onUse }: ClauseCountsProps) {
  const { data } = useQuery(explainQuery(state.query, state));
  const clauses = data?.clauses_of_query ?? [];
  if (clauses.length < 2) return null;
  return (
    <div className={classes.tableBox}>
      <Table className={classes.table} heads={['Clause', 'By itself', 'Without it', <td />]}>
        {clauses.slice(0, CLAUSES_MAX).map((clause) => (
          <ClauseRow key={clause.start} clause={clause} state={state} onUse={onUse} />
        ))}
      </Table>
      {clauses.length > CLAUSES_MAX && (
        <p className="dimmed">
          The first {CLAUSES_MAX} of {clauses.length} clauses.
        </p>
      )}
    </div>
  );
}

function ClauseRow({ clause, state, onUse }: ClauseCountsProps & { clause: WrittenClause }) {
  const { start, end } = clause;
  const { data: without } = useQuery(editedQuery(state.query, [{ op: 'remove', start, end }]));
  const alone = useQuery(countQuery(state, clause.text));
  const rest = useQuery({ ...countQuery(state, without ?? ''), enabled: without !== undefined });
  const isToBlame = alone.data === 0;
  return (
    <tr data-blame={isToBlame}>
      <th scope="row" className={classes.clause} title={clause.text}>
        {clause.text}
      </th>
      <td>{countText(alone.data, alone.error)}</td>
      <td>{countText(rest.data, rest.error)}</td>
      <td>
        <Button
          size="compact-xs"
          variant={(rest.data ?? 0) > 0 ? 'light' : 'default'}
          aria-label={`Search without ${clause.text}`}
          onClick={() => without !== undefined && onUse(without)}
        >
          Remove
        </Button>
      </td>
    </tr>
  );
}

function countText(count: number | undefined, error: Error | null): string {
  if (error !== null) return 'unknown';
  return count === undefined ? '…' : formatCount(count);
}

type NearestMatchProps = { state: SearchState; onRange: (range: TimeRange) => void };

/** Shows when the nearest match was, if the range contains none. */
function NearestMatch({ state, onRange }: NearestMatchProps) {
  const [zone] = useZone();
  const { data, dataUpdatedAt, isLoading } = useQuery(nearestQuery(state));
  if (isLoading) return <p className={classes.nearest}>Looking for the nearest match…</p>;
  if (data === undefined) return null;
  if (data === null)
    return <p className={classes.nearest}>Nothing matches at any other time either.</p>;
  return (
    <p className={classes.nearest}>
      <span>
        The nearest match is {data.side} this range, {formatAge(data.time, dataUpdatedAt)}:{' '}
        <time dateTime={data.time}>{formatTime(data.time, zone)}</time>
      </span>
      <Button variant="light" onClick={() => onRange(hourAround(data.time))}>
        Show that hour
      </Button>
    </p>
  );
}
