/** Sends a question as soon as it is asked: the page that shows its answer is drawn a moment later. */
import { useQueryClient } from '@tanstack/react-query';
import { readingQuery } from '../../api/query';
import { searchQuery, summaryQuery } from '../queries';
import { type SearchState, isBlank } from '../searchParams';

export function useAhead(): (state: SearchState) => void {
  const cache = useQueryClient();
  return (state) => {
    if (isBlank(state)) return;
    const rows = searchQuery(state);
    const counts = summaryQuery(state);
    const reading = readingQuery(state.query);
    // What was asked before is up to those who show it. The rows are what one waits for.
    if (cache.getQueryState(rows.queryKey) === undefined) cache.infiniteQuery(rows).catch(told);
    if (cache.getQueryState(counts.queryKey) === undefined) cache.query(counts).catch(told);
    // It says what to mark in the rows: they are drawn once if it is there before them.
    if (cache.getQueryState(reading.queryKey) === undefined) cache.query(reading).catch(told);
  };
}

/** Those who show the answer show why there is none. */
function told(): void {
  return;
}
