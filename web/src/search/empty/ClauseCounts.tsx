/** The matches of each clause alone, and the matches without it: the clause to blame stands out. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { WrittenClause } from '../../api/model';
import { editedQuery } from '../../api/query';
import { formatCount } from '../../ui/number';
import { explainQuery } from '../query/explain';
import type { SearchState } from '../searchParams';
import { CLAUSES_MAX, countQuery } from './emptyQueries';
import classes from './Empty.module.css';

type Props = { state: SearchState; onUse: (query: string) => void };

export function ClauseCounts({ state, onUse }: Props) {
  const { data } = useQuery(explainQuery(state.query, state));
  const clauses = data?.clauses_of_query ?? [];
  if (clauses.length < 2) return null;
  return (
    <div className={classes.tableBox}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Clause</th>
            <th scope="col">By itself</th>
            <th scope="col">Without it</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {clauses.slice(0, CLAUSES_MAX).map((clause) => (
            <ClauseRow key={clause.start} clause={clause} state={state} onUse={onUse} />
          ))}
        </tbody>
      </table>
      {clauses.length > CLAUSES_MAX && (
        <p className="dimmed">
          The first {CLAUSES_MAX} of {clauses.length} clauses.
        </p>
      )}
    </div>
  );
}

function ClauseRow({ clause, state, onUse }: Props & { clause: WrittenClause }) {
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
