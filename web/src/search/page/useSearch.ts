/** A search as it runs: its rows and its counts, asked for separately, and fresh while its newest rows are in view. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { isRefusal } from '../../api/client';
import { canRefresh } from '../../ui/range';
import { useZone } from '../../ui/time';
import { useMark } from '../../ui/useMark';
import { firstRunQuery, searchQuery, summaryQuery } from '../queries';
import { type SearchState, isEverything, refreshInterval } from '../searchParams';

export type Search = ReturnType<typeof useSearch>;

export function useSearch(state: SearchState) {
  const [atTop, setAtTop] = useState(true);
  // Requests name the zone: in another one they are sent again.
  useZone();
  const wantsRefresh = state.refresh !== 'off' && canRefresh(state.range);
  // What the reader looks at must not move.
  const live = wantsRefresh && atTop && state.open === null;
  const refreshMs = live && refreshInterval(state.refresh);
  const rows = useRows(state, refreshMs);
  const counts = useCounts(state, refreshMs);
  const { data: isFirstRun } = useQuery({ ...firstRunQuery, enabled: isEverything(state.query) });
  return {
    ...rows,
    ...counts,
    isFirstRun: isFirstRun === true,
    live: live && !isRefusal(rows.error),
    paused: wantsRefresh && !live,
    /** The newest page; while it is refreshed the one before stands for it. */
    answered: rows.isFetching && !live ? undefined : rows.newest,
    setAtTop,
    runAgain: () => {
      rows.runRows();
      counts.runCounts();
    },
  };
}

function useRows(state: SearchState, refreshMs: number | false) {
  const queryClient = useQueryClient();
  const searching = searchQuery(state, refreshMs);
  const search = useInfiniteQuery(searching);
  const pageCount = search.data?.pages.length ?? 0;
  const key = JSON.stringify(searching.queryKey);
  const isRefreshed = refreshMs !== false;
  useEffect(() => {
    if (!isRefreshed || pageCount < 2) return;
    queryClient.setQueryData(
      searching.queryKey,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    // The key's text stands for the key, which is a new array every time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isRefreshed, pageCount, queryClient, key]);
  const messages = useMemo(
    () => search.data?.pages.flatMap((page) => page.messages),
    [search.data],
  );
  useMark('search: first rows', state.query, messages !== undefined);
  return {
    key,
    messages,
    newest: search.data?.pages[0],
    error: search.error,
    isFetching: search.isFetching,
    isLoading: search.isLoading,
    isCancelled: messages === undefined && search.fetchStatus === 'idle' && search.error === null,
    hasMore: search.hasNextPage,
    loadingMore: search.isFetchingNextPage,
    onMore: () => void search.fetchNextPage(),
    cancel: () => void queryClient.cancelQueries({ queryKey: searching.queryKey }),
    runRows: () => void search.refetch(),
  };
}

function useCounts(state: SearchState, refreshMs: number | false) {
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(
    summaryQuery(state, refreshMs),
  );
  useMark('search: all counted', state.query, data?.done === true && !isPlaceholderData);
  // The counts of the query before are shown until there are new ones, but its total is not this one's.
  const total = isPlaceholderData ? undefined : data?.histogram?.total;
  return {
    summary: data,
    /** Why there are no counts. */
    countsError: error,
    stale: isPlaceholderData,
    total,
    counting: total === undefined && isFetching,
    runCounts: () => void refetch(),
  };
}
