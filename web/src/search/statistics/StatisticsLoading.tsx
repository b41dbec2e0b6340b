/** The face of a table that is being made: a chart and rows to be, for how long already, and a way out. */
import { Button, Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './Statistics.module.css';

const ROWS = 8;

export function StatisticsLoading({ onCancel }: { onCancel: () => void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((past) => past + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div role="status" aria-label="Counting" className={classes.loading}>
      <div className={classes.bar}>
        <span className="dimmed">Counting… {seconds > 0 && `${seconds} s`}</span>
        <span className="row gap8 toEnd">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </span>
      </div>
      <Skeleton height={220} mb={16} />
      {Array.from({ length: ROWS }, (_, row) => (
        <Skeleton key={row} height={12} my={16} width={`${40 + ((row * 37) % 40)}%`} />
      ))}
    </div>
  );
}
