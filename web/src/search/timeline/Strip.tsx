/** The histogram in one line: its shape alone. */
import { useMemo } from 'react';
import type { Histogram } from '../../api/model';
import classes from './Timeline.module.css';

const HEIGHT = 20;

export function Strip({ histogram }: { histogram: Histogram }) {
  const { buckets } = histogram;
  const path = useMemo(() => pathOf(buckets.map(({ count }) => count)), [buckets]);
  return (
    <svg
      className={classes.strip}
      viewBox={`0 0 ${Math.max(buckets.length, 1)} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path d={path} />
    </svg>
  );
}

function pathOf(counts: readonly number[]): string {
  const highest = Math.max(...counts, 1);
  return counts
    .map((count, at) => {
      const tall = count === 0 ? 0 : Math.max((count / highest) * HEIGHT, 1);
      return tall === 0 ? '' : `M${at} ${HEIGHT}v-${tall.toFixed(2)}h.8v${tall.toFixed(2)}z`;
    })
    .join('');
}
