/** What a query with stages makes: a table, and a chart of it. */
import type { SearchState } from './searchParams';

type Props = { state: SearchState; onAsk: (part: Partial<SearchState>) => void };

export function Statistics({ state }: Props) {
  return <p>{state.query}</p>;
}
