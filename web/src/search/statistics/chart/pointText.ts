/** A point of a plot in words, for the box next to the pointer and for screen readers. */
import { type Zone, formatTime } from '../../../ui/time';
import { type WriteNumber, writerOf } from '../number';
import type { Plot, Series } from '../pivot';

/** `2026-01-02 03:00:00 – 04:00:00`, or the name of the point. */
export function pointName(plot: Plot, at: number, zone: Zone): string {
  const point = plot.points[at];
  if (point === undefined) return '';
  if (plot.axis === 'names' || point.time === null) return point.name;
  const start = momentOf(point.time, zone);
  if (plot.spanMs === null) return start;
  const end = momentOf(point.time + plot.spanMs, zone);
  const until = end.slice(0, 10) === start.slice(0, 10) ? end.slice(11) : end;
  const partial = plot.partial.get(at);
  return `${start} – ${until}${partial === undefined ? '' : ` (${partial})`}`;
}

function momentOf(time: number, zone: Zone): string {
  return formatTime(new Date(time).toISOString(), zone).replace(/\.000$/u, '');
}

export type PointText = Pick<Series, 'name' | 'tone'> & { text: string };

/** The values at a point, the largest first; zero values are left out if there are others. */
export function readingsAt(plot: Plot, at: number, write: Writers): PointText[] {
  const all = plot.series.map(({ name, tone, values }, place) => ({
    name,
    tone,
    write: write.series[place] ?? String,
    value: values[at] ?? null,
  }));
  const told = all.filter(({ value }) => value !== null && value !== 0);
  const rows = plot.series.length > 1 ? told : all;
  return rows
    .sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity))
    .map(({ name, tone, value, write }) => ({
      name,
      tone,
      text: value === null ? 'no value' : write(value),
    }));
}

/** The sum at a point, if the values are additive and there are several. */
export function totalAt(plot: Plot, at: number, write: Writers): string | null {
  if (!plot.stackable || plot.series.length < 2) return null;
  return write.sum(plot.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
}

export type Writers = { series: readonly WriteNumber[]; sum: WriteNumber };

/** The number formats of the series, and of their sum. */
export function writersOf(plot: Plot): Writers {
  const series = plot.series.map(({ values, measure }) => writerOf(numbersOf(values), measure));
  return { series, sum: writerFor(plot) };
}

/** A common number format for the sums at all points. */
export function writerFor({ series, points }: Plot): WriteNumber {
  const sums = points.map((_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  return writerOf(sums, series[0]?.measure);
}

export function numbersOf(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

export function spokenPoint(plot: Plot, at: number, zone: Zone, write: Writers): string {
  const values = readingsAt(plot, at, write).map(({ name, text }) => `${name} ${text}`);
  const total = totalAt(plot, at, write);
  const all = total === null ? values : [`total ${total}`, ...values];
  return `${pointName(plot, at, zone)}: ${all.length === 0 ? 'no messages' : all.join(', ')}`;
}
