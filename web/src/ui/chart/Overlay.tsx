/** A line over the bars: how many there were in each bucket at another time. */
import { useMemo } from 'react';
import { linePath } from './line';
import classes from './Bars.module.css';

type Props = { counts: readonly number[]; width: number; height: number; top: number };

export function Overlay({ counts, width, height, top }: Props) {
  const path = useMemo(
    () => linePath(counts, { width, height, top }),
    [counts, width, height, top],
  );
  return (
    <>
      <path className={classes.halo} d={path} />
      <path className={classes.line} d={path} />
    </>
  );
}
