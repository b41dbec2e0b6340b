/** What can be done with a search: keep it, hand it on, take its messages away. */
import type { SearchState } from './searchParams';

type Props = {
  state: SearchState;
  total: number | undefined;
  onAsk: (part: Partial<SearchState>) => void;
};

export function Actions({ total }: Props) {
  return total === undefined && <span />;
}
