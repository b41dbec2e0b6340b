/** Counts over time as a row of small bars. The text next to it gives the numbers. */
import classes from './Spark.module.css';

type Props = { counts: readonly number[]; tone?: 'error' | 'info'; isLarge?: boolean };

const HEIGHT = 20;

export function Spark({ counts, tone = 'info', isLarge = false }: Props) {
  const highest = Math.max(...counts, 1);
  return (
    <svg
      className={classes.spark}
      data-tone={tone}
      data-large={isLarge}
      viewBox={`0 0 ${Math.max(counts.length, 1) * 3} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path d={counts.map((count, at) => barPath(count / highest, at)).join('')} />
    </svg>
  );
}

/** Every value above zero must be visible. */
function barPath(part: number, at: number): string {
  if (part === 0) return '';
  const height = Math.max(part * HEIGHT, 1.5);
  return `M${at * 3} ${HEIGHT}v${-height}h2.2v${height}z`;
}
