/**
 * Shown while a query runs: the place for its answer, the time that it has taken, and a button to
 * cancel it.
 */
import { Button, Skeleton } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';

type Props = {
  /** The activity, such as `Searching`. */
  what: string;
  rows: number;
  /** The width of the shortest row. */
  percentMin: number;
  onCancel: () => void;
  /** Shown before the rows. */
  children?: ReactNode;
};

export function Running({ what, rows, percentMin, onCancel, children }: Props) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((past) => past + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div role="status" aria-label={what}>
      <div className="row spread gap12">
        <span className="dimmed">
          {what}… {seconds > 0 && `${seconds} s`}
        </span>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
      {children}
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={12} my={16} width={`${percentMin + ((row * 37) % 40)}%`} />
      ))}
    </div>
  );
}
