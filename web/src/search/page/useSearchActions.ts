/** The ways on from a search: to another question, or to another look at the same one. */
import { useCallbackRef } from '@mantine/hooks';
import type { RefObject } from 'react';
import type { QueryEdit } from '../../api/model';
import { useEdit, valueEdit } from '../../ui/query/useEdit';
import { useSetsRange } from '../../ui/query/useReading';
import type { TimeRange } from '../../ui/range';
import { rememberRefresh } from '../live';
import type { SearchState } from '../searchParams';
import { usePendingSearch } from './usePendingSearch';

/** `replace` leaves no step in the browser's history. */
export type ChangeSearch = (state: SearchState, replace?: boolean) => void;

export type SearchActions = ReturnType<typeof useSearchActions>;

/** `page` says that it waits while the answer to a step is not there. */
export function useSearchActions(
  page: RefObject<HTMLElement | null>,
  state: SearchState,
  onChange: ChangeSearch,
) {
  const setsRange = useSetsRange(state.query);
  const { late, newest, asked, go, look } = usePendingSearch(page, state, onChange);
  const edit = useEdit(state.query, asked);
  // The same functions from drawing to drawing: what is given them is drawn when it has something new to show.
  const ask = useCallbackRef(({ query, ...part }: Partial<SearchState>) => {
    const next: SearchState = {
      ...newest(),
      open: null,
      // To ask for nothing in particular is to ask for all, which is more than not to have asked yet.
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
