/** Matches of the last five minutes, second by second and by severity. */
import { memo, useState } from 'react';
import { formatCount } from '../ui/number';
import { useZone } from '../ui/time';
import { barsOf, secondText } from './bars';
import { clockText } from './idle';
import { SECONDS_MAX, type Second } from './rates';
import classes from './Chart.module.css';

const HEIGHT_PX = 44;

export const Chart = memo(function Chart({ seconds }: { seconds: readonly Second[] }) {
  const [zone] = useZone();
  /** The distance of the bar under the pointer from the left. */
  const [at, setAt] = useState<number | null>(null);
  const { paths, unwatched, max } = barsOf(seconds, HEIGHT_PX);
  const pointed = at === null ? undefined : seconds[at];
  const sum = seconds.reduce((total, second) => total + second.total, 0);
  return (
    <div className="grow minWidth0">
      <svg
        className={classes.bars}
        role="img"
        aria-label={`Matches of the last 5 minutes: ${sum} in total, at most ${max} in a second`}
        viewBox={`0 0 ${SECONDS_MAX} ${HEIGHT_PX}`}
        preserveAspectRatio="none"
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setAt(Math.floor(((clientX - left) / width) * SECONDS_MAX));
        }}
        onPointerLeave={() => setAt(null)}
      >
        <path className={classes.unwatched} d={unwatched} />
        {paths.map(({ tone, path }) => (
          <path key={tone} data-tone={tone} d={path} />
        ))}
        {pointed !== undefined && at !== null && (
          <rect className={classes.pointer} x={at} width={1} height={HEIGHT_PX} />
        )}
      </svg>
      <div className={classes.scale} aria-hidden>
        {pointed === undefined ? (
          <>
            <span>−5 min</span>
            <span>peak {formatCount(max)}/s</span>
            <span>now</span>
          </>
        ) : (
          <span>
            {clockText(pointed.at * 1000, zone)} · {secondText(pointed)}
          </span>
        )}
      </div>
    </div>
  );
});
