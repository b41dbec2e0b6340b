/** When the nearest match was, where the range holds none. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TimeRange } from '../../ui/range';
import { formatAge, formatTime, useZone } from '../../ui/time';
import type { SearchState } from '../searchParams';
import { hourAround, nearestQuery } from './emptyQueries';
import classes from './Empty.module.css';

type Props = { state: SearchState; onRange: (range: TimeRange) => void };

export function NearestMatch({ state, onRange }: Props) {
  const [zone] = useZone();
  const { data, dataUpdatedAt, isLoading } = useQuery(nearestQuery(state));
  if (isLoading) return <p className={classes.nearest}>Looking for the nearest match…</p>;
  if (data === undefined) return null;
  if (data === null)
    return <p className={classes.nearest}>Nothing matches at any other time either.</p>;
  return (
    <p className={classes.nearest}>
      <span>
        The nearest match is {data.side} this range, {formatAge(data.time, dataUpdatedAt)}:{' '}
        <time dateTime={data.time}>{formatTime(data.time, zone)}</time>
      </span>
      <Button variant="light" onClick={() => onRange(hourAround(data.time))}>
        Show that hour
      </Button>
    </p>
  );
}
