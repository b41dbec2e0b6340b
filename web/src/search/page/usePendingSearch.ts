/** Asks for something else, and leaves the page as it is until the answer is there. It says that it waits. */
import { useCallbackRef } from '@mantine/hooks';
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { searchQuery } from '../queries';
import type { SearchState } from '../searchParams';
import { createPending } from './pending';
import { useEarlyRequest } from './useEarlyRequest';

/** `go` asks; `newest` is what was asked for last, whether it is shown already or not. */
export function usePendingSearch(
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
  // Not a state: that the page waits is one attribute, for which nothing in it has to be drawn again.
  const wait = useCallbackRef((isWaiting: boolean) =>
    page.current?.setAttribute('aria-busy', String(isWaiting)),
  );
  const [hold] = useState(() => createPending<SearchState>(wait, show));
  // Any other change of the address is newer than the pending search.
  useLayoutEffect(() => hold.end, [hold, state]);
  return {
    /** The key of the search that had no answer when the page had waited long enough. */
    late,
    newest: () => hold.next ?? state,
    /** The query that was asked for and is not shown yet. */
    asked: useCallback(() => hold.next?.query ?? null, [hold]),
    go: (next: SearchState) => {
      const answer = ahead(next);
      hold.end();
      if (answer === null) onChange(next);
      else hold.begin(next, answer);
    },
    /** Another look at the same: a step of its own only if what it is of is not shown yet. */
    look: (next: SearchState) => {
      const isShown = hold.next === null;
      hold.end();
      onChange(next, isShown);
    },
  };
}
