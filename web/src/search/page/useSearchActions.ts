/** The actions that lead on from a search: to another one, or to another view of the same one. */
import { useCallbackRef } from '@mantine/hooks';
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { QueryEdit } from '../../api/model';
import { useEdit, valueEdit } from '../../ui/query/useEdit';
import { useSetsRange } from '../../ui/query/useReading';
import type { TimeRange } from '../../ui/range';
import { readingQuery } from '../../api/query';
import { splitStages } from '../../ui/query/lexer';
import { rememberRefresh } from '../live';
import { type SearchState, isBlank } from '../searchParams';
import { searchQuery, summaryQuery } from '../queries';
import { createPending } from './pending';

/** `replace` adds no entry to the browser's history. */
export type ChangeSearch = (state: SearchState, replace?: boolean) => void;

export type SearchActions = ReturnType<typeof useSearchActions>;

/** `page` indicates that it waits until the answer has arrived. */
export function useSearchActions(
  page: RefObject<HTMLElement | null>,
  state: SearchState,
  onChange: ChangeSearch,
) {
  const setsRange = useSetsRange(state.query);
  const { late, newest, asked, go, look } = usePendingSearch(page, state, onChange);
  const edit = useEdit(state.query, asked);
  // The functions stay the same between renders, so that components that use them are only drawn again if they have
  // something new to show.
  const ask = useCallbackRef(({ query, ...part }: Partial<SearchState>) => {
    const next: SearchState = {
      ...newest(),
      open: null,
      // Running an empty query means searching for everything, unlike a page on which no search has been run yet.
      ...(query !== undefined && { query: query === '' ? '*' : query }),
      ...part,
    };
    go(next);
  });
  const show = useCallbackRef((part: Partial<SearchState>) => {
    if (part.refresh !== undefined) rememberRefresh(part.refresh);
    look({ ...newest(), ...part });
  });
  const change = useCallbackRef((edits: readonly QueryEdit[]) =>
    edit(edits, (query) => ask({ query })),
  );
  const filter = useCallbackRef((field: string, value: string, exclude: boolean) =>
    change([valueEdit(field, value, exclude)]),
  );
  const zoom = useCallbackRef((range: TimeRange) =>
    setsRange ? edit([{ op: 'set_range' }], (query) => ask({ query, range })) : ask({ range }),
  );
  return { ask, show, edit: change, filter, zoom, late };
}

/**
 * Asks for something else, and leaves the page as it is until the answer is there. It says that it
 * waits. `go` asks; `newest` is what was asked for last, whether it is shown already or not.
 */
function usePendingSearch(
  page: RefObject<HTMLElement | null>,
  state: SearchState,
  onChange: (state: SearchState, replace?: boolean) => void,
) {
  const ahead = useEarlyRequest();
  const [late, setLate] = useState('');
  const show = useCallbackRef((next: SearchState, isLate: boolean) => {
    if (isLate) setLate(JSON.stringify(searchQuery(next).queryKey));
    onChange(next);
  });
  // This is not a state: only one attribute indicates that the page waits, so nothing has to be drawn again.
  const wait = useCallbackRef((isWaiting: boolean) =>
    page.current?.setAttribute('aria-busy', String(isWaiting)),
  );
  const [hold] = useState(() => createPending<SearchState>(wait, show));
  // Any other change of the address is newer than the pending search, and replaces it.
  useLayoutEffect(() => hold.end, [hold, state]);
  return {
    /** The key of the search that had no answer when the page stopped waiting for it. */
    late,
    newest: () => hold.next ?? state,
    /** The query of the pending search, which is not shown yet. */
    asked: useCallback(() => hold.next?.query ?? null, [hold]),
    go: (next: SearchState) => {
      const answer = ahead(next);
      hold.end();
      if (answer === null) onChange(next);
      else hold.begin(next, answer);
    },
    /**
     * Another view of the same search. It only becomes a step in the history if the search is not
     * shown yet.
     */
    look: (next: SearchState) => {
      const isShown = hold.next === null;
      hold.end();
      onChange(next, isShown);
    },
  };
}

/**
 * Sends a question as soon as it is asked: the page that shows its answer is drawn a moment later.
 * The answers worth waiting for: the rows, and the hits to mark in them. Null if there is nothing
 * to wait for.
 */
function useEarlyRequest(): (state: SearchState) => Promise<unknown> | null {
  const cache = useQueryClient();
  return (state) => {
    if (isBlank(state)) return null;
    const rows = searchQuery(state);
    const counts = summaryQuery(state);
    const reading = readingQuery(state.query);
    const isNew = ({ queryKey }: { queryKey: readonly unknown[] }) =>
      cache.getQueryState(queryKey) === undefined;
    // The code that shows the answer decides about repeating a request. The user waits for the rows.
    const found = isNew(rows) ? cache.infiniteQuery(rows).catch(told) : null;
    const read = isNew(reading) ? cache.query(reading).catch(told) : null;
    if (isNew(counts)) cache.query(counts).catch(told);
    // A table of the messages is made by the statistics.
    const isTable = splitStages(state.query).stages !== '';
    return found === null || isTable ? null : Promise.all([found, read]);
  };
}

/** The code that shows the answer also shows errors. */
function told(): void {
  return;
}
