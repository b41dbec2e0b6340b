/** How the list is drawn for this answer: fields that the query or a column tells are not told again in every row. */
import { useMemo } from 'react';
import type { Message } from '../../api/model';
import { type Hits, hasHit, hitsIn } from '../../ui/highlight';
import { type Common, type Look, lookOf } from '../../ui/message/look';
import { useOrdered } from '../../messages/list/useLineOrder';
import type { SearchState } from '../searchParams';

export function useLook(
  state: SearchState,
  first: readonly Message[],
  hits: Hits,
  common: Common,
): Look {
  const columns = state.view === 'table' ? state.columns.join() : '';
  const look = useMemo(() => {
    const asked = hits.flatMap(({ field }) => (field === null ? [] : [field]));
    // What a word was found in is shown where it was found; a clause of the field itself says what it asks for.
    const words = hits.filter(({ field }) => field === null);
    const shared = (field: keyof Common) =>
      hasHit(common[field] ?? '', hitsIn(words, field)) ? null : common[field];
    return lookOf(first, [...asked, ...columns.split(',')], {
      host: shared('host'),
      program: shared('program'),
    });
  }, [first, hits, columns, common]);
  return useOrdered(look);
}
