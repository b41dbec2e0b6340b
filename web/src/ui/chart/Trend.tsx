/** Counts over time as a small area. The figures beside it state the numbers. */
import { linePath } from './line';
import classes from './Trend.module.css';

const HEIGHT = 24;

type Props = {
  counts: readonly number[];
  /** The number of values that are combined into a point. */
  fold?: number;
  isBad?: boolean;
  width?: number;
};

export function Trend({ counts, fold = 1, isBad = false, width = 104 }: Props) {
  const points = folded(counts, fold);
  const top = Math.max(...points, 1);
  const line = linePath(points, { width, height: HEIGHT - 1, top: top * 1.08 });
  return (
    <svg
      className={classes.trend}
      data-bad={isBad}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path className={classes.area} d={line === '' ? '' : `${line}V${HEIGHT}H0Z`} />
      <path className={classes.line} d={line} />
    </svg>
  );
}

function folded(counts: readonly number[], fold: number): number[] {
  const points: number[] = [];
  counts.forEach((count, at) => {
    const point = Math.floor(at / fold);
    points[point] = (points[point] ?? 0) + count;
  });
  return points;
}
