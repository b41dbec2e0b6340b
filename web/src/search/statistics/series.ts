/** The figures of each series of a plot, and their order. */
import type { Plot, Series } from './pivot';

/** The most recent value, the mean and the maximum; the sum if values can be added up. */
export type Figure = 'last' | 'avg' | 'max' | 'total';
export type SeriesRow = { series: Series; figures: Record<Figure, number | null> };
export type SeriesOrder = { by: Figure | 'name'; descending: boolean };

const names = new Intl.Collator('en', { numeric: true });

export function figuresOf({ stackable }: Plot): readonly Figure[] {
  return stackable ? ['last', 'avg', 'max', 'total'] : ['last', 'avg', 'max'];
}

export function firstOrder({ stackable }: Plot): SeriesOrder {
  return { by: stackable ? 'total' : 'max', descending: true };
}

/** Partial sums are not comparable: they only count in the total. */
export function seriesRows({ series, partial, stackable }: Plot): SeriesRow[] {
  return series.map((one) => {
    const all = one.values.filter((value) => value !== null);
    const whole = one.values.filter((value, at) => value !== null && !partial.has(at));
    const told = (stackable && whole.length > 0 ? whole : all) as number[];
    const total = all.reduce((sum, value) => sum + value, 0);
    const sum = told.reduce((sum, value) => sum + value, 0);
    const isNone = told.length === 0;
    return {
      series: one,
      figures: {
        last: told.at(-1) ?? null,
        avg: isNone ? null : sum / told.length,
        max: isNone ? null : told.reduce((most, value) => Math.max(most, value), -Infinity),
        total: all.length === 0 ? null : total,
      },
    };
  });
}

/** Rows without a value come last; a row that combines several series comes after these. */
export function orderedRows(rows: readonly SeriesRow[], { by, descending }: SeriesOrder) {
  const sign = descending ? -1 : 1;
  const isRest = ({ series }: SeriesRow) => Number(series.tone.kind === 'other');
  return rows.toSorted((a, b) => {
    if (isRest(a) !== isRest(b)) return isRest(a) - isRest(b);
    if (by === 'name') return sign * names.compare(a.series.name, b.series.name);
    const [one, other] = [a.figures[by], b.figures[by]];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  });
}

export function nextSeriesOrder(order: SeriesOrder, by: SeriesOrder['by']): SeriesOrder {
  if (order.by === by) return { by, descending: !order.descending };
  return { by, descending: by !== 'name' };
}

/** The trend of a series as a line that starts at zero; empty if there is nothing to draw. */
export function trendPath(values: readonly (number | null)[], width: number, height: number) {
  const most = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const least = values.reduce<number>((least, value) => Math.min(least, value ?? 0), 0);
  const step = width / Math.max(1, values.length - 1);
  const y = (value: number) => height - ((value - least) / (most - least || 1)) * height;
  let isOpen = false;
  return values
    .map((value, at) => {
      if (value === null) {
        isOpen = false;
        return '';
      }
      const command = isOpen ? 'L' : 'M';
      isOpen = true;
      return `${command}${(at * step).toFixed(1)},${y(value).toFixed(1)}`;
    })
    .join('');
}
