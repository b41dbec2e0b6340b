/** A rate over the last minutes as a small line. The text next to it gives its numbers. */
import type { Sample } from '../api/status';
import { linePath } from './linePath';
import classes from './Health.module.css';

const WIDTH = 280;
const HEIGHT = 40;

export function RateLine({ samples }: { samples: readonly Sample[] }) {
  const { line, area } = linePath(samples, WIDTH, HEIGHT);
  return (
    <svg className={classes.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      <path className={classes.sparkArea} d={area} />
      <path className={classes.sparkLine} d={line} />
    </svg>
  );
}
