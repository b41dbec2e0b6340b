/** In the place of a page whose code is not here yet: it is on its way, or waits for the server. */
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../api/health';
import { Empty } from '../ui/Empty';
import classes from './Shell.module.css';

export function PagePending() {
  const { data: health } = useQuery(healthQuery);
  if (health?.state === 'unreachable') {
    return (
      <Empty isPage title="This page is not here yet">
        <p>It is fetched from the server, and opens by itself as soon as the server answers.</p>
      </Empty>
    );
  }
  return (
    <div className={classes.pending} role="status" aria-label="Loading the page">
      <Skeleton height={28} width={160} />
      <Skeleton height={96} />
      <Skeleton height={240} />
    </div>
  );
}
