/**
 * The server's interpretation of a query: the texts to mark, and whether it states its own time
 * range.
 */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { readingQuery } from '../../api/query';
import { type Hits, hitsOf } from '../highlight';

/** Nothing is marked until the server has interpreted the query, or if it cannot. */
export function useHits(query: string): Hits {
  const { data } = useQuery(readingQuery(query));
  return useMemo(() => hitsOf(data?.terms ?? []), [data]);
}

export function useSetsRange(query: string): boolean {
  const { data } = useQuery(readingQuery(query));
  return data?.sets_range === true;
}
