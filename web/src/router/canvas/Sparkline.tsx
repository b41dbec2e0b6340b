/** A few numbers as a line, as wide as a word. */
import classes from './Canvas.module.css';

const [WIDTH, HEIGHT] = [44, 16];

export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const top = Math.max(...values, 1);
  const points = values.map(
    (value, at) =>
      `${((at * WIDTH) / (values.length - 1)).toFixed(1)} ${(HEIGHT - 1 - (value / top) * (HEIGHT - 3)).toFixed(1)}`,
  );
  return (
    <svg className={classes.spark} width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path className={classes.under} d={`M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}z`} />
      <path className={classes.line} d={`M${points.join('L')}`} />
    </svg>
  );
}
