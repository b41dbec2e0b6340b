/** Ask for messages: the shape of all that match, the newest of them, and everything about one. */
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { isRefusal } from '../../api/client';
import { splitStages } from '../../ui/query/stages';
import { type TimeRange, canRefresh } from '../../ui/range';
import { useZone } from '../../ui/time';
import { useMark } from '../../ui/useMark';
import { useCommands } from '../../ui/commands';
import { Actions } from './Actions';
import { Drawer } from '../drawer/Drawer';
import { EmptyResult } from '../empty/EmptyResult';
import { Facets } from '../facets/Facets';
import { FirstRun } from './FirstRun';
import { Loading } from './Loading';
import { QueryBar } from '../query/QueryBar';
import { QueryProblem, QueryWarnings } from './QueryProblem';
import { Results } from '../results/Results';
import { Statistics } from '../statistics/Statistics';
import { StatusLine } from './StatusLine';
import { Timeline } from '../timeline/Timeline';
import { ViewTools } from '../results/ViewTools';
import { useEdit, valueEdit } from '../../ui/query/useEdit';
import { useHits, useSetsRange } from '../../ui/query/useReading';
import { firstRunQuery, searchQuery, summaryQuery } from '../queries';
import { type SearchState, isEverything, refreshInterval } from '../searchParams';
import classes from './SearchPage.module.css';

type Props = {
  state: SearchState;
  /** `replace` leaves no step in the browser's history. */
  onChange: (state: SearchState, replace?: boolean) => void;
};

export function SearchPage({ state, onChange }: Props) {
  const queryClient = useQueryClient();
  const [atTop, setAtTop] = useState(true);
  // Requests name the zone: another one asks anew.
  useZone();
  const wantsRefresh = state.refresh !== 'off' && canRefresh(state.range);
  // What the reader looks at must not move away under the eyes.
  const live = wantsRefresh && atTop && state.open === null;
  const refreshMs = live && refreshInterval(state.refresh);
  const searching = searchQuery(state, refreshMs);
  const search = useInfiniteQuery(searching);
  const summary = useQuery(summaryQuery(state, refreshMs));
  // What is shown until then is of the query before: its total is not this one's.
  const total = summary.isPlaceholderData ? undefined : summary.data?.histogram?.total;
  const { data: isFirstRun } = useQuery({ ...firstRunQuery, enabled: isEverything(state.query) });

  const pageCount = search.data?.pages.length ?? 0;
  const searchKey = JSON.stringify(searching.queryKey);
  useEffect(() => {
    if (!live || pageCount < 2) return;
    queryClient.setQueryData(
      searching.queryKey,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    // The key's text stands for the key, which is a new array every time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [live, pageCount, queryClient, searchKey]);

  const messages = useMemo(
    () => search.data?.pages.flatMap((page) => page.messages),
    [search.data],
  );
  const hits = useHits(state.query);
  const setsRange = useSetsRange(state.query);
  const edit = useEdit(state.query);
  useMark('search: first rows', state.query, messages !== undefined);
  const isCounted = summary.data?.done === true && !summary.isPlaceholderData;
  useMark('search: all counted', state.query, isCounted);
  const hasStages = splitStages(state.query).stages !== '';
  const newest = search.data?.pages[0];
  const runAgain = () => {
    void search.refetch();
    void summary.refetch();
  };
  useCommands([{ id: 'search-again', title: 'Search again', keys: 'r', run: runAgain }]);
  const show = (part: Partial<SearchState>) => onChange({ ...state, ...part }, true);
  const ask = (part: Partial<SearchState>) => onChange({ ...state, open: null, ...part });
  const filter = (field: string, value: string, exclude: boolean) =>
    edit([valueEdit(field, value, exclude)], (query) => ask({ query }));
  const zoom = (range: TimeRange) =>
    setsRange ? edit([{ op: 'set_range' }], (query) => ask({ query, range })) : ask({ range });
  const runText = (query: string) => (query === state.query ? runAgain() : ask({ query }));
  const [slow] = useDebouncedValue(search.isLoading, 120);

  return (
    <div className={classes.page}>
      <h1 className={classes.heading}>Search</h1>
      <QueryBar state={state} error={search.error} onRun={runText} onChange={ask} />
      {search.error !== null && (
        <QueryProblem error={search.error} query={state.query} onRetry={runAgain} onUse={runText} />
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
        summary={summary.data}
        stale={summary.isPlaceholderData}
        onZoom={zoom}
        onFilter={filter}
        onChange={show}
      />
      <div className={classes.columns}>
        <Facets
          state={state}
          facets={summary.data?.facets}
          total={total}
          stale={summary.isPlaceholderData}
          onFilter={filter}
          onAsk={ask}
          onChange={show}
        />
        <div className={classes.results}>
          <StatusLine
            state={state}
            search={search.isFetching && !live ? undefined : newest}
            total={total}
            counting={total === undefined && summary.isFetching}
            live={live && !isRefusal(search.error)}
            paused={wantsRefresh && !live}
            onChange={show}
          >
            {!hasStages && (
              <ViewTools state={state} messages={messages ?? []} onAsk={ask} onChange={show} />
            )}
            <Actions state={state} total={total} onAsk={ask} />
          </StatusLine>
          {hasStages && search.error === null && <Statistics state={state} onAsk={ask} />}
          {!hasStages && messages === undefined && search.isLoading && slow && (
            <Loading
              onCancel={() => void queryClient.cancelQueries({ queryKey: searching.queryKey })}
            />
          )}
          {messages === undefined && search.fetchStatus === 'idle' && search.error === null && (
            <p className={classes.note}>Cancelled. Press Search to run it again.</p>
          )}
          {isFirstRun === true && <FirstRun />}
          {!hasStages && messages?.length === 0 && isFirstRun !== true && (
            <EmptyResult state={state} onChange={(next) => onChange(next)} />
          )}
          {!hasStages && messages !== undefined && messages.length > 0 && (
            <Results
              key={searchKey}
              state={state}
              messages={messages}
              hits={hits}
              hasMore={search.hasNextPage}
              loadingMore={search.isFetchingNextPage}
              onMore={() => void search.fetchNextPage()}
              onFilter={filter}
              onAsk={ask}
              onChange={show}
              onRefresh={runAgain}
              onAtTop={setAtTop}
            />
          )}
        </div>
        {state.open !== null && (
          <Drawer
            state={state}
            id={state.open}
            messages={messages ?? []}
            hits={hits}
            onAsk={ask}
            onChange={show}
          />
        )}
      </div>
    </div>
  );
}
