/**
 * The table that a query with stages produces, and a chart of it. Loaded when the first such query
 * runs.
 */
import { Suspense } from 'react';
import { lazyPart } from '../../api/code';
import type { SearchState } from '../searchParams';

const Panel = lazyPart(() => import('./StatisticsPanel'), 'StatisticsPanel');

type Props = { state: SearchState; onAsk: (part: Partial<SearchState>) => void };

export function Statistics(props: Props) {
  return (
    <Suspense>
      <Panel {...props} />
    </Suspense>
  );
}
