/** The messages that a search found: their histogram, their list, and the details of one of them. */
import { useCallbackRef, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, Suspense, lazy, useState } from 'react';
import { isAway } from '../../api/client';
import { fetched } from '../../api/code';
import { splitStages } from '../../ui/query/stages';
import { useHits } from '../../ui/query/useReading';
import type { SearchState } from '../searchParams';
import { Timeline } from '../timeline/Timeline';
import { Answer } from './Answer';
import { MiniHistogram } from './MiniHistogram';
import { QueryProblem, QueryWarnings } from './QueryProblem';
import type { Counts } from './useCounts';
import type { Search } from './useSearch';
import type { ChangeSearch, SearchActions } from './useSearchActions';
import classes from './SearchPage.module.css';

/** Loaded when the first message is opened. */
const Drawer = lazy(async () => ({
  default: (await fetched(() => import('../../messages/drawer/Drawer'))).Drawer,
}));

type Props = {
  state: SearchState;
  search: Search;
  counted: Counts;
  steps: SearchActions;
  /** Beside the messages, where there is room. */
  fields: ReactNode;
  onRun: (query: string) => void;
  onChange: ChangeSearch;
};

/** There the messages need every line. */
const LOW = '(max-height: 639px)';

export function FoundMessages(props: Props) {
  const { state, search, counted, steps, fields, onRun, onChange } = props;
  const hits = useHits(state.query);
  const hasStages = splitStages(state.query).stages !== '';
  const isLow = useMediaQuery(LOW, false, { getInitialValueInEffect: false });
  const [isUnfolded, setUnfolded] = useState(false);
  const { error, newest, runAgain } = search;
  const retryCounts = useCallbackRef(() => void search.runCounts());
  const bars = (
    <MiniHistogram
      histogram={counted.summary?.histogram}
      split={counted.state.split}
      isOpen={isUnfolded}
      onToggle={() => setUnfolded(!isUnfolded)}
    />
  );
  return (
    <div className={classes.columns} data-behind={counted.isBehind}>
      {/* A table has its own values to choose from, and the whole width. */}
      {!hasStages && fields}
      <div className={classes.main}>
        {error !== null && !isAway(error) && (
          <QueryProblem error={error} query={state.query} onRetry={runAgain} onUse={onRun} />
        )}
        {newest !== undefined && (
          <QueryWarnings
            warnings={newest.warnings}
            coverage={newest.coverage}
            query={state.query}
            onUse={onRun}
          />
        )}
        {(!isLow || isUnfolded) && (
          <Timeline
            state={counted.state}
            summary={counted.summary}
            stale={counted.stale}
            folded={hasStages}
            error={counted.error}
            onRetry={retryCounts}
            onZoom={steps.zoom}
            onFilter={steps.filter}
            onChange={steps.show}
          />
        )}
        <Answer
          {...{ state, search, steps, hits, hasStages, onChange }}
          bars={isLow ? bars : undefined}
        />
      </div>
      {state.open !== null && (
        <Suspense>
          <Drawer
            state={state}
            id={state.open}
            messages={search.messages ?? []}
            hits={hits}
            onAsk={steps.ask}
            onChange={steps.show}
          />
        </Suspense>
      )}
    </div>
  );
}
