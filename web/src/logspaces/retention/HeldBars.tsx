/** The contents of a logspace over time. The part that a retention would delete is hatched. */
import { useElementSize } from '@mantine/hooks';
import { useId } from 'react';
import type { Histogram } from '../../api/model';
import { formatCount } from '../../ui/number';
import { partsOf, useZone } from '../../ui/time';
import classes from './Retention.module.css';

const HEIGHT = 120;

type Props = {
  held: Histogram;
  /** The number of bars to delete; the last may go in part. */
  cutBars: number;
  cutTime: number | null;
};

export function HeldBars({ held, cutBars, cutTime }: Props) {
  const { ref, width } = useElementSize();
  const [zone] = useZone();
  const id = useId();
  const { buckets } = held;
  if (buckets.length === 0) return <p className="dimmed">It holds no messages yet.</p>;
  const highest = Math.max(...buckets.map(({ count }) => count), 1);
  const step = width / buckets.length;
  const cutAt = cutBars * step;
  const dayOf = (time: string | number) =>
    partsOf(new Date(time).toISOString(), zone)?.date ?? String(time);
  const path = buckets
    .map(({ count }, at) => {
      if (count === 0) return '';
      const height = Math.max((count / highest) * (HEIGHT - 4), 1.5);
      return `M${at * step} ${HEIGHT}v${-height}h${Math.max(step - 1, 0.5)}v${height}z`;
    })
    .join('');
  const deleted = buckets.slice(0, Math.ceil(cutBars)).reduce((sum, { count }) => sum + count, 0);
  const first = buckets[0]?.time ?? '';
  const last = buckets.at(-1)?.time ?? '';
  const label =
    cutTime === null
      ? `Messages from ${dayOf(first)} to ${dayOf(last)}; all are kept`
      : `Messages from ${dayOf(first)} to ${dayOf(last)}; about ${formatCount(deleted)} until ${dayOf(cutTime)} are deleted`;
  return (
    <figure className={classes.chart}>
      <div ref={ref}>
        {width > 0 && (
          <svg width={width} height={HEIGHT} role="img" aria-label={label}>
            <defs>
              <pattern id={`${id}-hatch`} width="6" height="6" patternUnits="userSpaceOnUse">
                <rect className={classes.hatchGround} width="6" height="6" />
                <path className={classes.hatch} d="M-1 1l2-2M0 6l6-6M5 7l2-2" />
              </pattern>
              <clipPath id={`${id}-gone`}>
                <rect width={cutAt} height={HEIGHT} />
              </clipPath>
              <clipPath id={`${id}-kept`}>
                <rect x={cutAt} width={Math.max(width - cutAt, 0)} height={HEIGHT} />
              </clipPath>
            </defs>
            <path className={classes.kept} d={path} clipPath={`url(#${id}-kept)`} />
            {cutTime !== null && (
              <>
                <path
                  className={classes.gone}
                  d={path}
                  fill={`url(#${id}-hatch)`}
                  clipPath={`url(#${id}-gone)`}
                />
                <path className={classes.cut} d={`M${cutAt} 0V${HEIGHT}`} />
              </>
            )}
          </svg>
        )}
      </div>
      <figcaption className={classes.axis}>
        <span>{dayOf(first)}</span>
        {cutTime !== null && <span className="bold bad">deleted until {dayOf(cutTime)}</span>}
        <span>{dayOf(last)}</span>
      </figcaption>
      <p className="meta dimmed">
        By the times of the messages. Age counts from when they were received.
      </p>
    </figure>
  );
}
