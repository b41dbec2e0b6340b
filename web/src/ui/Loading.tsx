/** Shown while a part of a page is loading: placeholders with about the heights of its content. */
import { Skeleton } from '@mantine/core';

export function Loading({ heights }: { heights: readonly number[] }) {
  return (
    <div className="stack gap12" role="status" aria-label="Loading">
      {heights.map((height, at) => (
        <Skeleton key={at} height={height} />
      ))}
    </div>
  );
}
