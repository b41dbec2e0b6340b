/** How many messages match over time. */
import type { TimeRange } from '../ui/range';
import type { Summary } from './queries';
import type { SearchState } from './searchParams';

type Props = {
  state: SearchState;
  /** What is known so far. */
  summary: Summary | undefined;
  onZoom: (range: TimeRange) => void;
  onChange: (part: Partial<SearchState>) => void;
};

export function Timeline({ summary }: Props) {
  return <span>{summary?.histogram?.buckets.length}</span>;
}
