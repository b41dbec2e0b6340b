/** Shown while a search runs: where the rows will be, how long it has taken, and a way to cancel it. */
import { Button, Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';

const ROWS = 12;

export function SearchLoading({ onCancel }: { onCancel: () => void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((past) => past + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div role="status" aria-label="Searching">
      <div className="row spread gap12">
        <span className="dimmed">Searching… {seconds > 0 && `${seconds} s`}</span>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      {Array.from({ length: ROWS }, (_, row) => (
        <Skeleton key={row} height={12} my={16} width={`${60 + ((row * 37) % 40)}%`} />
      ))}
    </div>
  );
}
