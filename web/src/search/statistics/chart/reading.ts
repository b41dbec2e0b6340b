/** What a point of a plot says, in words: for the box next to the pointer and for a screen reader. */
import { type Zone, formatTime } from '../../../ui/time';
import { formatNumber } from '../number';
import type { Plot, Series } from '../pivot';

/** The plot without the series that were switched off; the last one stays. */
export function shownSeries(plot: Plot, hidden: ReadonlySet<string>): Plot {
  const series = plot.series.filter(({ name }) => !hidden.has(name));
  return series.length === 0 ? plot : { ...plot, series };
}

/** `2026-01-02 03:00:00 – 04:00:00`, or the name. */
export function pointName(plot: Plot, at: number, zone: Zone): string {
  const point = plot.points[at];
  if (point === undefined) return '';
  if (plot.axis === 'names' || point.time === null) return point.name;
  const start = momentOf(point.time, zone);
  if (plot.spanMs === null) return start;
  const end = momentOf(point.time + plot.spanMs, zone);
  return `${start} – ${end.slice(0, 10) === start.slice(0, 10) ? end.slice(11) : end}`;
}

function momentOf(time: number, zone: Zone): string {
  return formatTime(new Date(time).toISOString(), zone).replace(/\.000$/u, '');
}

export type Read = Pick<Series, 'name' | 'tone'> & { text: string };

/** The values at a point, from the greatest; those that are nothing are left out where others are something. */
export function readingsAt(plot: Plot, at: number): Read[] {
  const all = plot.series.map(({ name, tone, values }) => ({
    name,
    tone,
    value: values[at] ?? null,
  }));
  const told = all.filter(({ value }) => value !== null && value !== 0);
  const rows = plot.series.length > 1 ? told : all;
  return rows
    .sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity))
    .map(({ name, tone, value }) => ({
      name,
      tone,
      text: value === null ? 'no value' : formatNumber(value),
    }));
}

/** The sum at a point, where the parts add up and there are several. */
export function totalAt(plot: Plot, at: number): string | null {
  if (!plot.stackable || plot.series.length < 2) return null;
  return formatNumber(plot.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
}

export function spokenPoint(plot: Plot, at: number, zone: Zone): string {
  const values = readingsAt(plot, at).map(({ name, text }) => `${name} ${text}`);
  const total = totalAt(plot, at);
  const all = total === null ? values : [`in all ${total}`, ...values];
  return `${pointName(plot, at, zone)}: ${all.length === 0 ? 'nothing' : all.join(', ')}`;
}
