/** Ask for messages: the bar, and below it what the whole range looks like, or what was found. */
import { useCallbackRef, useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, Suspense, lazy, useRef } from 'react';
import { fetched } from '../../api/code';
import { useCommands } from '../../ui/commands';
import { useZone } from '../../ui/time';
import { Facets } from '../../messages/facets/Facets';
import { QueryBar } from '../query/QueryBar';
import { type SearchState, isBlank } from '../searchParams';
import { FirstRun } from './FirstRun';
import { FoundMessages } from './FoundMessages';
import { titleOf } from './title';
import { useCounts } from './useCounts';
import { useSearch } from './useSearch';
import { type ChangeSearch, useSearchActions } from './useSearchActions';
import classes from './SearchPage.module.css';

/** Loaded when nothing is asked for. */
const BlankPage = lazy(async () => ({
  default: (await fetched(() => import('../blank/BlankPage'))).BlankPage,
}));

type Props = {
  state: SearchState;
  /** The pickers of logspaces and of the range. */
  logspaces?: ReactNode;
  range?: ReactNode;
  onChange: ChangeSearch;
};

/** There the fields have no room of their own beside the messages. */
const SMALL = '(max-width: 960px), (max-height: 639px)';

export function SearchPage({ state, logspaces, range, onChange }: Props) {
  const search = useSearch(state);
  const page = useRef<HTMLDivElement>(null);
  const steps = useSearchActions(page, state, onChange);
  const counted = useCounts(state, search);
  const [zone] = useZone();
  const isSmall = useMediaQuery(SMALL, false, { getInitialValueInEffect: false });
  const { error, runAgain } = search;
  useDocumentTitle(titleOf(state.query, state.range, zone));
  useCommands([{ id: 'search-again', title: 'Search again', keys: 'r', run: runAgain }]);
  const blank = isBlank(state);
  const runText = useCallbackRef((query: string) =>
    query === state.query && !blank ? runAgain() : steps.ask({ query }),
  );
  const retryCounts = useCallbackRef(() => void search.runCounts());
  const fields = (
    <Facets
      state={counted.state}
      facets={counted.summary?.facets}
      stale={counted.stale}
      error={counted.error}
      onRetry={retryCounts}
      onEdit={steps.edit}
      onChange={steps.show}
    />
  );
  return (
    <div ref={page} className={classes.page}>
      <h1 className="unseen">Search</h1>
      <QueryBar
        state={state}
        error={error}
        logspaces={logspaces}
        range={range}
        fields={isSmall && !blank ? fields : undefined}
        onRun={runText}
        onChange={steps.ask}
      />
      {blank ? (
        <Suspense fallback={<div role="status" aria-label="Loading the page" />}>
          <BlankPage state={state} onAsk={steps.ask}>
            {search.isFirstRun && <FirstRun />}
          </BlankPage>
        </Suspense>
      ) : (
        <FoundMessages
          state={state}
          search={search}
          counted={counted}
          steps={steps}
          fields={isSmall ? undefined : fields}
          onRun={runText}
          onChange={onChange}
        />
      )}
    </div>
  );
}
