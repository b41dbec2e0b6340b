/** The answer to a query with stages, and its other faces: on the way, refused, cancelled, empty. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Notice } from '../../ui/Notice';
import { QueryProblem, QueryWarnings } from '../page/QueryProblem';
import type { SearchState } from '../searchParams';
import { AnswerPanel } from './AnswerPanel';
import { StatisticsLoading } from './StatisticsLoading';
import { aggregateQuery } from './queries';
import classes from './Statistics.module.css';

type Props = { state: SearchState; onAsk: (part: Partial<SearchState>) => void };

export function StatisticsPanel({ state, onAsk }: Props) {
  const queryClient = useQueryClient();
  const asking = aggregateQuery(state);
  const { data, error, isPlaceholderData, fetchStatus, refetch } = useQuery(asking);
  const cancel = () => void queryClient.cancelQueries({ queryKey: asking.queryKey });
  const runAgain = () => void refetch();
  const problem = error !== null && (
    <QueryProblem
      error={error}
      query={state.query}
      onRetry={runAgain}
      onUse={(query) => onAsk({ query })}
    />
  );
  if (data === undefined) {
    if (problem !== false) return problem;
    if (fetchStatus !== 'idle') return <StatisticsLoading onCancel={cancel} />;
    return (
      <Notice tone="info" title="Cancelled" onRetry={runAgain}>
        Nothing was counted.
      </Notice>
    );
  }
  return (
    <section className={classes.statistics} aria-label="Statistics" aria-busy={isPlaceholderData}>
      {problem}
      <QueryWarnings
        warnings={data.warnings}
        coverage={data.coverage}
        query={state.query}
        onUse={(query) => onAsk({ query })}
      />
      <AnswerPanel state={state} answer={data} isStale={isPlaceholderData} onAsk={onAsk} />
    </section>
  );
}
