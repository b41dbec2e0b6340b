/**
 * The layout of a list's rows: fields shown by the query, a column or the header are not repeated
 * in every row.
 */
import { useMemo } from 'react';
import type { Message } from '../../api/model';
import { type Hits, hasHit, hitsIn } from '../../ui/highlight';
import { type Common, type RowLayout, rowLayoutOf } from '../../ui/message/rowLayout';
import { useOrdered } from './lineOrder';

/** The layout of a list that begins with these messages. `columns` are those of the table. */
export function useRowLayout(
  first: readonly Message[],
  hits: Hits,
  columns: readonly string[],
  common: Common,
): RowLayout {
  const key = columns.join();
  const layout = useMemo(
    () => rowLayoutFor(first, hits, key.split(','), common),
    [first, hits, key, common],
  );
  return useOrdered(layout);
}

export function rowLayoutFor(
  first: readonly Message[],
  hits: Hits,
  columns: readonly string[],
  common: Common,
): RowLayout {
  const asked = hits.flatMap(({ field }) => (field === null ? [] : [field]));
  // A value in which a searched word was found stays in the rows; if the query has a clause for the field itself, the
  // clause already shows it.
  const words = hits.filter(({ field }) => field === null);
  const shared = (field: keyof Common) =>
    hasHit(common[field] ?? '', hitsIn(words, field)) ? null : common[field];
  return rowLayoutOf(first, [...asked, ...columns], {
    host: shared('host'),
    program: shared('program'),
  });
}
