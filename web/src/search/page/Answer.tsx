/** The result of a search, or the reason why there is nothing to show. */
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, Suspense, lazy } from 'react';
import { fetched } from '../../api/code';
import type { Message } from '../../api/model';
import type { Hits } from '../../ui/highlight';
import { Results } from '../results/Results';
import type { SearchState } from '../searchParams';
import { Statistics } from '../statistics/Statistics';
import { FirstRun } from './FirstRun';
import { HOLD_MS } from './pending';
import { SearchLoading } from './SearchLoading';
import { Toolbar } from './Toolbar';
import type { Search } from './useSearch';
import type { ChangeSearch, SearchActions } from './useSearchActions';
import classes from './SearchPage.module.css';

/** Loaded when nothing was found. */
const EmptyResult = lazy(async () => ({
  default: (await fetched(() => import('../empty/EmptyResult'))).EmptyResult,
}));

const NONE: readonly Message[] = [];

type Props = {
  state: SearchState;
  search: Search;
  steps: SearchActions;
  hits: Hits;
  hasStages: boolean;
  /** The histogram, where it stands in the toolbar. */
  bars?: ReactNode;
  onChange: ChangeSearch;
};

export function Answer(props: Props) {
  const { state, search, steps, hasStages, bars } = props;
  return (
    <div className={classes.results}>
      <Toolbar
        state={state}
        search={search}
        steps={steps}
        messages={search.messages ?? NONE}
        hasStages={hasStages}
        bars={bars}
      />
      {hasStages && search.error === null && <Statistics state={state} onAsk={steps.ask} />}
      {search.isCancelled && (
        <p className={classes.note}>Cancelled. Press Search to run it again.</p>
      )}
      {search.isFirstRun && <FirstRun />}
      {!hasStages && <Messages {...props} />}
    </div>
  );
}

/** A search that takes less than a moment shows nothing while it runs. */
function Messages({ state, search, steps, hits, onChange }: Props) {
  const { messages } = search;
  const [slow] = useDebouncedValue(search.isLoading, HOLD_MS);
  if (messages === undefined) {
    const isSlow = slow || steps.late === search.key;
    return search.isLoading && isSlow && <SearchLoading onCancel={search.cancel} />;
  }
  if (messages.length === 0) {
    if (search.isFirstRun) return null;
    return (
      <Suspense>
        <EmptyResult state={state} onChange={onChange} />
      </Suspense>
    );
  }
  return (
    <Results
      key={search.key}
      state={state}
      messages={messages}
      first={search.newest?.messages ?? messages}
      hits={hits}
      common={search.common}
      hasMore={search.hasMore}
      loadingMore={search.loadingMore}
      onMore={search.onMore}
      onFilter={steps.filter}
      onEdit={steps.edit}
      onAsk={steps.ask}
      onChange={steps.show}
      live={search.live}
      onTakeIn={search.takeIn}
      onAtTop={search.setAtTop}
    />
  );
}
