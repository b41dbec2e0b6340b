/** Ask for messages: the shape of all that match, the newest of them, and everything about one. */
import { useCommands } from '../../ui/commands';
import { splitStages } from '../../ui/query/stages';
import { useHits } from '../../ui/query/useReading';
import { Drawer } from '../drawer/Drawer';
import { Facets } from '../facets/Facets';
import { QueryBar } from '../query/QueryBar';
import type { SearchState } from '../searchParams';
import { Timeline } from '../timeline/Timeline';
import { Answer } from './Answer';
import { QueryProblem, QueryWarnings } from './QueryProblem';
import { useSearch } from './useSearch';
import { type ChangeSearch, useSteps } from './useSteps';
import classes from './SearchPage.module.css';

type Props = { state: SearchState; onChange: ChangeSearch };

export function SearchPage({ state, onChange }: Props) {
  const search = useSearch(state);
  const steps = useSteps(state, onChange);
  const hits = useHits(state.query);
  const hasStages = splitStages(state.query).stages !== '';
  const { error, newest, runAgain } = search;
  useCommands([{ id: 'search-again', title: 'Search again', keys: 'r', run: runAgain }]);
  const runText = (query: string) => (query === state.query ? runAgain() : steps.ask({ query }));
  return (
    <div className={classes.page}>
      <h1 className="unseen">Search</h1>
      <QueryBar state={state} error={error} onRun={runText} onChange={steps.ask} />
      {error !== null && (
        <QueryProblem error={error} query={state.query} onRetry={runAgain} onUse={runText} />
      )}
      {newest !== undefined && (
        <QueryWarnings
          warnings={newest.warnings}
          coverage={newest.coverage}
          query={state.query}
          onUse={runText}
        />
      )}
      <Timeline
        state={state}
        summary={search.summary}
        stale={search.stale}
        error={search.countsError}
        onRetry={search.runCounts}
        onZoom={steps.zoom}
        onFilter={steps.filter}
        onChange={steps.show}
      />
      <div className={classes.columns}>
        <Facets
          state={state}
          facets={search.summary?.facets}
          stale={search.stale}
          error={search.countsError}
          onRetry={search.runCounts}
          onEdit={steps.edit}
          onAsk={steps.ask}
          onChange={steps.show}
        />
        <Answer {...{ state, search, steps, hits, hasStages, onChange }} />
        {state.open !== null && (
          <Drawer
            state={state}
            id={state.open}
            messages={search.messages ?? []}
            hits={hits}
            onAsk={steps.ask}
            onChange={steps.show}
          />
        )}
      </div>
    </div>
  );
}
