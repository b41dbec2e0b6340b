/**
 * The search page: the query bar, and below it an overview of the whole range, or the messages that
 * were found.
 */
import { useCallbackRef, useDebouncedValue, useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, Suspense, useRef, useState } from 'react';
import { IconChevronRight } from '@tabler/icons-react';
import { lazyPart } from '../../api/code';
import { IconButton } from '../../ui/IconButton';
import { useCommands } from '../../ui/commands';
import { useZone } from '../../ui/time';
import { Facets } from '../../messages/facets/Facets';
import { isAway } from '../../api/client';
import { splitStages } from '../../ui/query/lexer';
import { useHits } from '../../ui/query/useReading';
import type { Histogram, Message } from '../../api/model';
import type { Hits } from '../../ui/highlight';
import { QueryBar } from '../query/QueryBar';
import { type SearchState, isBlank } from '../searchParams';
import { Timeline } from '../timeline/Timeline';
import { Results } from '../results/Results';
import { Statistics } from '../statistics/Statistics';
import { HistogramStrip } from '../timeline/HistogramStrip';
import { FirstRun } from './FirstRun';
import { titleOf } from './title';
import { type Counts, useCounts } from './useCounts';
import { type Search, useSearch } from './useSearch';
import { type ChangeSearch, type SearchActions, useSearchActions } from './useSearchActions';
import { QueryProblem, QueryWarnings } from './QueryProblem';
import { HOLD_MS } from './pending';
import { Running } from './Running';
import { Toolbar } from './Toolbar';
import classes from './SearchPage.module.css';
import miniHistogramClasses from './MiniHistogram.module.css';

/** Loaded when no search has been entered. */
const BlankPage = lazyPart(() => import('../blank/BlankPage'), 'BlankPage');

type Props = {
  state: SearchState;
  /** The pickers of logspaces and of the range. */
  logspaces?: ReactNode;
  range?: ReactNode;
  onChange: ChangeSearch;
};

/** The size below which the fields have no room beside the messages. */
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

/** Loaded when the first message is opened. */
const Drawer = lazyPart(() => import('../../messages/drawer/Drawer'), 'Drawer');

type FoundMessagesProps = {
  state: SearchState;
  search: Search;
  counted: Counts;
  steps: SearchActions;
  /** The fields, beside the messages if there is room. */
  fields: ReactNode;
  onRun: (query: string) => void;
  onChange: ChangeSearch;
};

/** The height below which the messages need every line. */
const LOW = '(max-height: 639px)';

/** The messages that a search found: their histogram, their list, and the details of one of them. */
function FoundMessages(props: FoundMessagesProps) {
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

/** Loaded when nothing was found. */
const EmptyResult = lazyPart(() => import('../empty/EmptyResult'), 'EmptyResult');

const NONE: readonly Message[] = [];

type AnswerProps = {
  state: SearchState;
  search: Search;
  steps: SearchActions;
  hits: Hits;
  hasStages: boolean;
  /** The histogram, if it is in the toolbar. */
  bars?: ReactNode;
  onChange: ChangeSearch;
};

/** The result of a search, or the reason why there is none. */
function Answer(props: AnswerProps) {
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
        <p className="pad24 alignMiddle dimmed">Cancelled. Press Search to run it again.</p>
      )}
      {search.isFirstRun && <FirstRun />}
      {!hasStages && <Messages {...props} />}
    </div>
  );
}

/** A search that takes only a moment shows nothing while it runs. */
function Messages({ state, search, steps, hits, onChange }: AnswerProps) {
  const { messages } = search;
  const [slow] = useDebouncedValue(search.isLoading, HOLD_MS);
  if (messages === undefined) {
    const isSlow = slow || steps.late === search.key;
    return (
      search.isLoading &&
      isSlow && <Running what="Searching" rows={12} percentMin={60} onCancel={search.cancel} />
    );
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

type MiniHistogramProps = {
  histogram: Histogram | undefined;
  split: string;
  isOpen: boolean;
  onToggle: () => void;
};

/**
 * The histogram within the toolbar, for low windows: its outline, and a button that shows all of
 * it.
 */
function MiniHistogram({ histogram, split, isOpen, onToggle }: MiniHistogramProps) {
  return (
    <div className="row gap8">
      <IconButton
        icon={IconChevronRight}
        size={24}
        label="Messages over time"
        aria-expanded={isOpen}
        className={miniHistogramClasses.toggle ?? ''}
        onClick={onToggle}
      />
      {histogram !== undefined && !isOpen && (
        <div className="grow minWidth0">
          <HistogramStrip histogram={histogram} split={split} />
        </div>
      )}
    </div>
  );
}
