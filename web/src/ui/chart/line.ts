/** A line through the middles of buckets, in pixels. Pure. */
export function linePath(
  counts: readonly number[],
  { width, height, top }: { width: number; height: number; top: number },
): string {
  const step = width / Math.max(counts.length, 1);
  const points = counts.map((count, at) => {
    const x = (at + 0.5) * step;
    const y = height - (Math.min(count, top) / top) * height;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return points.length === 0 ? '' : `M${points.join('L')}`;
}
