/** The ways on from a search: to another question, or to another look at the same one. */
import { useCallbackRef } from '@mantine/hooks';
import type { QueryEdit } from '../../api/model';
import { useEdit, valueEdit } from '../../ui/query/useEdit';
import { useSetsRange } from '../../ui/query/useReading';
import type { TimeRange } from '../../ui/range';
import { rememberRefresh } from '../live';
import type { SearchState } from '../searchParams';
import { useAhead } from './useAhead';

/** `replace` leaves no step in the browser's history. */
export type ChangeSearch = (state: SearchState, replace?: boolean) => void;

export type Steps = ReturnType<typeof useSteps>;

export function useSteps(state: SearchState, onChange: ChangeSearch) {
  const setsRange = useSetsRange(state.query);
  const edit = useEdit(state.query);
  const ahead = useAhead();
  // The same functions from drawing to drawing: what is given them is drawn when it has something new to show.
  const ask = useCallbackRef(({ query, ...part }: Partial<SearchState>) => {
    const next: SearchState = {
      ...state,
      open: null,
      // To ask for nothing in particular is to ask for all, which is more than not to have asked yet.
      ...(query !== undefined && { query: query === '' ? '*' : query }),
      ...part,
    };
    ahead(next);
    onChange(next);
  });
  const show = useCallbackRef((part: Partial<SearchState>) => {
    if (part.refresh !== undefined) rememberRefresh(part.refresh);
    onChange({ ...state, ...part }, true);
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
  return { ask, show, edit: change, filter, zoom };
}
