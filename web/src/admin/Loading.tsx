/** Rows that are on their way. */
import { Skeleton } from '@mantine/core';
import classes from './Admin.module.css';

export function Loading({ rows }: { rows: number }) {
  return (
    <div className={classes.loading} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <Skeleton key={at} height={24} mt={12} />
      ))}
    </div>
  );
}
