/** How the list is drawn for this answer: fields that the query or a column tells are not told again in every row. */
import { useMemo } from 'react';
import type { Message } from '../../api/model';
import type { Hits } from '../../ui/highlight';
import { type Look, lookOf } from '../../ui/message/look';
import { useOrdered } from '../../messages/list/useLineOrder';
import type { SearchState } from '../searchParams';

export function useLook(state: SearchState, first: readonly Message[], hits: Hits): Look {
  const columns = state.view === 'table' ? state.columns.join() : '';
  const look = useMemo(() => {
    const asked = hits.flatMap(({ field }) => (field === null ? [] : [field]));
    return lookOf(first, [...asked, ...columns.split(',')]);
  }, [first, hits, columns]);
  return useOrdered(look);
}
