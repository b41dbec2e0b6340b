/**
 * A running search: its rows and its counts, which are requested separately, and refreshed while
 * the newest rows are in view.
 */
import { useCallbackRef } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { isAway, isRefusal } from '../../api/client';
import { seesAll, sessionQuery } from '../../api/session';
import { canRefresh } from '../../ui/range';
import { type Common, nothingCommon } from '../../ui/message/rowLayout';
import { useZone } from '../../ui/time';
import type { Facet } from '../../api/model';
import { type Summary, firstRunQuery, searchQuery, summaryQuery } from '../queries';
import { type SearchState, isBlank, isEverything, refreshInterval } from '../searchParams';
import { useOnStored } from '../useOnStored';

export type Search = ReturnType<typeof useSearch>;

/**
 * The interval at which an empty search is run again, so that a first message appears by itself.
 */
const EMPTY_REST_MS = 2_000;

export function useSearch(state: SearchState) {
  const [atTop, setAtTop] = useState(true);
  // Requests contain the zone, so they are sent again if it changes.
  useZone();
  const wantsRefresh = state.refresh !== 'off' && canRefresh(state.range);
  const rows = useRows(state);
  const counts = useCounts(state);
  const runAll = () => Promise.all([rows.runRows(), counts.runCounts()]);
  // The list must not move while the user reads it.
  const live =
    wantsRefresh && !isBlank(state) && atTop && state.open === null && !isRefusal(rows.error);
  // An empty list contains nothing that could move.
  const follows = live || (rows.messages?.length === 0 && canRefresh(state.range));
  const restMs = (live && refreshInterval(state.refresh)) || EMPTY_REST_MS;
  const takeIn = useCallbackRef(() => {
    rows.keepFirstPage();
    void runAll();
  });
  useSinglePage(rows, live);
  useOnStored(follows, restMs, runAll);
  const { data: session } = useQuery(sessionQuery);
  // A user who sees only a part of the store cannot know whether nothing was ever received.
  const sees = session?.user != null && seesAll(session.user);
  const { data: isFirstRun } = useQuery({
    ...firstRunQuery,
    enabled: sees && isEverything(state.query),
  });
  return {
    ...rows,
    ...counts,
    isFirstRun: isFirstRun === true,
    live,
    paused: wantsRefresh && !live,
    /** The newest page; none while the user has requested it again. */
    answered: rows.isFetching && !follows ? undefined : rows.newest,
    setAtTop,
    runAgain: () => void runAll(),
    /** Shows the messages that have arrived since, the newest first. */
    takeIn,
  };
}

function useRows(state: SearchState) {
  const queryClient = useQueryClient();
  const searching = searchQuery(state);
  const search = useInfiniteQuery({ ...searching, enabled: !isBlank(state) });
  const messages = useMemo(
    () => search.data?.pages.flatMap((page) => page.messages),
    [search.data],
  );
  usePerformanceMark('search: first rows', state.query, messages !== undefined);
  return {
    key: JSON.stringify(searching.queryKey),
    messages,
    pageCount: search.data?.pages.length ?? 0,
    newest: search.data?.pages[0],
    error: search.error,
    isFetching: search.isFetching,
    isLoading: search.isLoading,
    isCancelled: messages === undefined && search.fetchStatus === 'idle' && search.error === null,
    hasMore: search.hasNextPage,
    loadingMore: search.isFetchingNextPage,
    onMore: useCallbackRef(() => void search.fetchNextPage()),
    cancel: () => void queryClient.cancelQueries({ queryKey: searching.queryKey }),
    runRows: () => search.refetch(),
    keepFirstPage: () =>
      queryClient.setQueryData(
        searching.queryKey,
        (data) =>
          data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
      ),
  };
}

/**
 * A list that is refreshed has only its newest page: the other pages would be requested again one
 * after the other.
 */
function useSinglePage(
  { key, pageCount, keepFirstPage }: ReturnType<typeof useRows>,
  isRefreshed: boolean,
) {
  useEffect(() => {
    if (isRefreshed && pageCount > 1) keepFirstPage();
    // The function is another one every time; what it does is told by the key.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isRefreshed, pageCount, key]);
}

function useCounts(state: SearchState) {
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery({
    ...summaryQuery(state),
    enabled: !isBlank(state),
  });
  usePerformanceMark('search: all counted', state.query, data?.done === true && !isPlaceholderData);
  // The counts of the previous query are shown until there are new ones, but its total does not apply to this one.
  const total = isPlaceholderData ? undefined : data?.histogram?.total;
  const { host, program } = isPlaceholderData ? nothingCommon : commonOf(data);
  // The same object for the same values, so that new counts do not draw the list again.
  const common = useMemo(() => ({ host, program }), [host, program]);
  return {
    summary: data,
    /**
     * The error if there are no counts. Existing counts are kept while the page indicates that it
     * waits for the server.
     */
    countsError: isAway(error) && data !== undefined ? null : error,
    stale: isPlaceholderData,
    total,
    common,
    counting: total === undefined && isFetching,
    runCounts: () => refetch(),
  };
}

/** `of` identifies the subject: the mark is made once for each. */
function usePerformanceMark(name: string, of: string, isShown: boolean): void {
  useEffect(() => {
    if (isShown) performance.mark(name, { detail: of });
  }, [name, of, isShown]);
}

/** The values that all messages of a result share, according to the counts of the whole result. */
export function commonOf(summary: Summary | undefined): Common {
  const total = summary?.histogram?.total;
  if (total === undefined || summary?.done !== true || !summary.complete) return nothingCommon;
  return {
    host: sharedBy(total, summary.facets?.['host']),
    program: sharedBy(total, summary.facets?.['program']),
  };
}

/**
 * The value that as many messages have as there are. The values that a clause of the query leaves out are counted too;
 * who relies on this looks whether a message of the result has the value, so that it is none of those.
 */
function sharedBy(total: number, facet: Facet | undefined): string | null {
  if (facet === undefined || facet.partial !== undefined) return null;
  return facet.values.find(({ count }) => count === total)?.value ?? null;
}
