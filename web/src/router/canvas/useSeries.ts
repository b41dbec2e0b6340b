/** The rates of the last minute, for as long as the page is open: each new status is a sample. */
import { useState } from 'react';
import type { RouterStatus } from '../../api/model';

/** A sample a second. */
const SAMPLES_MAX = 60;

export type SeriesOf = ReadonlyMap<string, readonly number[]>;

export function useSeries(status: RouterStatus | undefined): SeriesOf {
  const [seen, setSeen] = useState<{ status: RouterStatus | undefined; series: SeriesOf }>({
    status: undefined,
    series: new Map(),
  });
  if (status === undefined || status === seen.status) return seen.series;
  const series = new Map(
    status.sources.map(({ id, messages_per_second: rate }) => [
      id,
      [...(seen.series.get(id) ?? []), ...(rate === null ? [] : [rate])].slice(-SAMPLES_MAX),
    ]),
  );
  setSeen({ status, series });
  return series;
}
