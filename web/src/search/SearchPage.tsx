/** Ask for messages, see the newest first, look into one. */
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { isRefusal } from '../api/client';
import { useKeys } from '../ui/useKeys';
import { EmptyResult } from './EmptyResult';
import { FirstRun } from './FirstRun';
import { LinkedMessage } from './LinkedMessage';
import { Loading } from './Loading';
import { QueryBar } from './QueryBar';
import { QueryProblem, QueryWarnings } from './QueryProblem';
import { ResultTable } from './ResultTable';
import { StatusLine } from './StatusLine';
import { withClause } from './editQuery';
import { hitPattern } from './highlight';
import { countQuery, firstRunQuery, logspacesQuery, searchQuery } from './queries';
import { type SearchState, canRefresh, isEverything, refreshInterval } from './searchParams';
import classes from './SearchPage.module.css';

type Props = {
  state: SearchState;
  onChange: (state: SearchState, replace?: boolean) => void;
};

export function SearchPage({ state, onChange }: Props) {
  const queryClient = useQueryClient();
  const [atTop, setAtTop] = useState(true);
  const wantsRefresh = state.refresh !== 'off' && canRefresh(state.range);
  // What the reader looks at must not move away under the eyes.
  const live = wantsRefresh && atTop && state.open === null;
  const refreshMs = live && refreshInterval(state.refresh);
  const searching = searchQuery(state, refreshMs);
  const search = useInfiniteQuery(searching);
  const count = useQuery(countQuery(state, refreshMs));
  const { data: logspaces = [] } = useQuery(logspacesQuery);
  const { data: isFirstRun } = useQuery({
    ...firstRunQuery,
    enabled: isEverything(state.query),
  });

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
  const hits = useMemo(() => hitPattern(state.query), [state.query]);
  const newest = search.data?.pages[0];
  const runAgain = () => {
    void search.refetch();
    void count.refetch();
  };
  useKeys({ r: runAgain });
  const toggle = (id: string) => onChange({ ...state, open: state.open === id ? null : id }, true);
  const filter = (field: string, value: string, exclude: boolean) =>
    onChange({ ...state, query: withClause(state.query, field, value, exclude), open: null });
  const runText = (query: string) => onChange({ ...state, query, open: null });
  const linked = state.open !== null && messages?.every(({ id }) => id !== state.open);
  const [slow] = useDebouncedValue(search.isLoading, 120);

  return (
    <div className={classes.page}>
      <h1 className={classes.heading}>Search</h1>
      <QueryBar
        key={state.query}
        state={state}
        logspaces={logspaces}
        onRun={(next) => {
          if (next.query === state.query) runAgain();
          onChange({ ...next, open: null });
        }}
        onChange={(next) => onChange({ ...next, open: null })}
      />
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
      <StatusLine
        state={state}
        search={search.isFetching && !live ? undefined : newest}
        total={count.data?.count}
        counting={count.isLoading}
        live={live && !isRefusal(search.error)}
        paused={wantsRefresh && !live}
        onRefresh={(refresh) => onChange({ ...state, refresh }, true)}
      />
      {linked === true && state.open !== null && (
        <LinkedMessage
          id={state.open}
          onClose={() => onChange({ ...state, open: null }, true)}
          onFilter={filter}
        />
      )}
      {messages === undefined && search.isLoading && slow && (
        <Loading
          onCancel={() => void queryClient.cancelQueries({ queryKey: searching.queryKey })}
        />
      )}
      {messages === undefined && search.fetchStatus === 'idle' && search.error === null && (
        <p className={classes.note}>Cancelled. Press Search to run it again.</p>
      )}
      {isFirstRun === true && <FirstRun />}
      {messages?.length === 0 && isFirstRun !== true && (
        <EmptyResult state={state} onChange={(next) => onChange(next)} />
      )}
      {messages !== undefined && messages.length > 0 && (
        <ResultTable
          key={searchKey}
          messages={messages}
          open={state.open}
          hits={hits}
          hasMore={search.hasNextPage}
          loadingMore={search.isFetchingNextPage}
          onMore={() => void search.fetchNextPage()}
          onToggle={toggle}
          onFilter={filter}
          onAtTop={setAtTop}
        />
      )}
    </div>
  );
}
