/** The answer to a query with stages, or its other states: loading, refused, cancelled, empty. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button, Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Notice } from '../../ui/Notice';
import { QueryProblem, QueryWarnings } from '../page/QueryProblem';
import type { SearchState } from '../searchParams';
import { AnswerPanel } from './AnswerPanel';
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

const ROWS = 8;

/**
 * Shown while a table is being made: placeholders for a chart and rows, the elapsed time, and a
 * button to cancel.
 */
function StatisticsLoading({ onCancel }: { onCancel: () => void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((past) => past + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div role="status" aria-label="Counting" className={classes.loading}>
      <div className={classes.bar}>
        <span className="dimmed">Counting… {seconds > 0 && `${seconds} s`}</span>
        <span className="row gap8 toEnd">
          <Button onClick={onCancel}>Cancel</Button>
        </span>
      </div>
      <Skeleton height={220} mb={16} />
      {Array.from({ length: ROWS }, (_, row) => (
        <Skeleton key={row} height={12} my={16} width={`${40 + ((row * 37) % 40)}%`} />
      ))}
    </div>
  );
}
