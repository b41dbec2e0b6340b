/** The rows of the table of what fills a logspace. Pure. */
import type { Facet } from '../../api/model';
import type { Fills } from '../queries';

/** `change` is in percent; null if there was nothing before. */
export type FillRow = { value: string; count: number; change: number | null };

export function fillRows({ all, week, before }: Fills): FillRow[] {
  const [now, then] = [countsOf(week), countsOf(before)];
  return all.values.map(({ value, count }) => {
    const past = then.get(value) ?? 0;
    const change = past === 0 ? null : Math.round((100 * ((now.get(value) ?? 0) - past)) / past);
    return { value, count, change };
  });
}

function countsOf({ values }: Facet): Map<string, number> {
  return new Map(values.map(({ value, count }) => [value, count]));
}
