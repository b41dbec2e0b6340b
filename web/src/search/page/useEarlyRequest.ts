/** Sends a question as soon as it is asked: the page that shows its answer is drawn a moment later. */
import { useQueryClient } from '@tanstack/react-query';
import { readingQuery } from '../../api/query';
import { splitStages } from '../../ui/query/stages';
import { searchQuery, summaryQuery } from '../queries';
import { type SearchState, isBlank } from '../searchParams';

/** The answers worth waiting for: the rows, and the hits to mark in them. Null if there is nothing to wait for. */
export function useEarlyRequest(): (state: SearchState) => Promise<unknown> | null {
  const cache = useQueryClient();
  return (state) => {
    if (isBlank(state)) return null;
    const rows = searchQuery(state);
    const counts = summaryQuery(state);
    const reading = readingQuery(state.query);
    const isNew = ({ queryKey }: { queryKey: readonly unknown[] }) =>
      cache.getQueryState(queryKey) === undefined;
    // A repeated request is up to those who show it. The rows are what the reader waits for.
    const found = isNew(rows) ? cache.infiniteQuery(rows).catch(told) : null;
    const read = isNew(reading) ? cache.query(reading).catch(told) : null;
    if (isNew(counts)) cache.query(counts).catch(told);
    // A table is made of the messages elsewhere.
    const isTable = splitStages(state.query).stages !== '';
    return found === null || isTable ? null : Promise.all([found, read]);
  };
}

/** Those who show the answer show why there is none. */
function told(): void {
  return;
}
