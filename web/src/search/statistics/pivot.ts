/**
 * A table in the form that a chart draws: points along an axis of times or names, for each of a few
 * series.
 */
import { formatCount } from '../../ui/number';
import { severityRank } from './order';
import type { Shape } from './shape';
import type { PartialSpan } from './partial';
import type { Cell, Table } from './queries';
import { type Measure, measureOf, plain } from './number';

/** The maximum number of series: more lines or colours cannot be distinguished. */
export const SERIES_MAX = 5;
export const BARS_MAX = 24;

export type Tone =
  { kind: 'series'; index: number } | { kind: 'severity'; name: string } | { kind: 'other' };
export type Series = {
  name: string;
  tone: Tone;
  values: readonly (number | null)[];
  measure: Measure;
  /** The value of a field that the series stands for, if it is a single one. */
  value?: Cell;
};
export type Point = { name: string; time: number | null; row: readonly Cell[] };

export type Plot = {
  axis: 'time' | 'names';
  /** The index of the column from which the values are taken. */
  column: number;
  points: readonly Point[];
  series: readonly Series[];
  /** Whether the values of the series at a point can be added up. */
  stackable: boolean;
  /** The duration of a point in time. */
  spanMs: number | null;
  /** The points that are only partly known, by their index. */
  partial: ReadonlyMap<number, PartialSpan>;
  measure: string;
  /** The index of the column whose values form the series; null if it is not a single column. */
  split: number | null;
  /** Notes about the series that are not in the plot. */
  notes: readonly string[];
};

export type PlotOptions = {
  /** The name of the column to draw; empty means all of them, if no column forms the series. */
  measure: string;
  spanMs: number | null;
  /** Whether names are ordered by the sums of their rows, instead of in the order of the rows. */
  byTotal?: boolean;
  seriesMax?: number;
};

/** The plot of a table; null if there is nothing to draw. */
export function plotOf(
  table: Table,
  shape: Shape,
  rows: readonly (readonly Cell[])[],
  { measure, spanMs, byTotal = false, seriesMax = SERIES_MAX }: PlotOptions,
): Plot | null {
  const [first, ...splits] = axisFirst(table, shape.groups);
  const chosen = shape.measures.find((column) => table.columns[column]?.name === measure);
  const column = chosen ?? shape.measures[0];
  if (first === undefined || column === undefined || rows.length === 0) return null;
  const axis = table.columns[first]?.kind === 'time' ? 'time' : 'names';
  const all = splits.length === 0 && chosen === undefined && axis === 'time';
  const drawn = axis === 'time' ? inTime(rows, first) : rows;
  const { points, values, series } =
    splits.length === 0
      ? byMeasure(table, drawn, first, all ? shape.measures : [column])
      : bySplit(table, drawn, first, splits, column, byTotal && axis === 'names');
  const additive = shape.additive.has(column) && !(all && shape.measures.length > 1);
  const isSeverity = splits.length === 1 && table.columns[splits[0] ?? -1]?.kind === 'severity';
  const seriesOrder = splits.length === 0 ? 'own' : isSeverity ? 'severity' : 'size';
  const notes: string[] = [];
  const kept = keepGreatest(series, values, { additive, order: seriesOrder, seriesMax }, notes);
  const limit = axis === 'time' ? points.length : BARS_MAX;
  if (points.length > limit)
    notes.push(`Showing the first ${limit} of ${formatCount(points.length)}.`);
  return {
    axis,
    column: first,
    points: points.slice(0, limit),
    series: kept.map((series) => ({ ...series, values: series.values.slice(0, limit) })),
    stackable: additive,
    spanMs: axis === 'time' ? (spanMs ?? smallestStep(points)) : null,
    partial: new Map(),
    split: splits.length === 1 ? (splits[0] ?? null) : null,
    measure: all && shape.measures.length > 1 ? '' : (table.columns[column]?.name ?? ''),
    notes,
  };
}

/** The axis is time if there is a time column, or else the first group. */
function axisFirst(table: Table, groups: readonly number[]): number[] {
  const time = groups.find((column) => table.columns[column]?.kind === 'time');
  return time === undefined ? [...groups] : [time, ...groups.filter((column) => column !== time)];
}

/**
 * Time increases to the right, whatever the order of the table; rows without a time are left out.
 */
function inTime(rows: readonly (readonly Cell[])[], axis: number): (readonly Cell[])[] {
  const timed = rows.map((row) => ({ row, time: pointOf(row, axis).time }));
  return timed
    .filter(({ time }) => time !== null)
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
    .map(({ row }) => row);
}

type Named = Pick<Series, 'name' | 'measure' | 'value'>;
type Pivoted = { points: Point[]; series: Named[]; values: (number | null)[][] };

function byMeasure(
  table: Table,
  rows: readonly (readonly Cell[])[],
  axis: number,
  measures: readonly number[],
): Pivoted {
  return {
    points: rows.map((row) => pointOf(row, axis)),
    series: measures.map((column) => {
      const head = table.columns[column];
      return { name: head?.name ?? '', measure: head === undefined ? plain : measureOf(head) };
    }),
    values: measures.map((column) => rows.map((row) => numberIn(row[column]))),
  };
}

function bySplit(
  table: Table,
  rows: readonly (readonly Cell[])[],
  axis: number,
  splits: readonly number[],
  measure: number,
  byTotal: boolean,
): Pivoted {
  const points = new Map<string, Point>();
  const series = new Map<string, Map<string, number | null>>();
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const point = pointOf(row, axis);
    if (!points.has(point.name)) points.set(point.name, point);
    const name = splits.map((column) => cellName(row[column])).join(' · ');
    const values = series.get(name) ?? new Map<string, number | null>();
    values.set(point.name, numberIn(row[measure]));
    series.set(name, values);
    if (splits.length === 1) cells.set(name, row[splits[0] ?? -1] ?? null);
  }
  const head = table.columns[measure];
  const one = head === undefined ? plain : measureOf(head);
  const totals = new Map<string, number>();
  for (const values of series.values())
    for (const [name, value] of values) totals.set(name, (totals.get(name) ?? 0) + (value ?? 0));
  const names = [...points.keys()];
  if (byTotal) names.sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  return {
    points: names.flatMap((name) => points.get(name) ?? []),
    series: [...series.keys()].map((name) => {
      const value = cells.get(name);
      return { name, measure: one, ...(value !== undefined && { value }) };
    }),
    values: [...series.values()].map((values) => names.map((name) => values.get(name) ?? null)),
  };
}

/** The largest series; the others are combined into one more if they can be added up. */
function keepGreatest(
  all: readonly Named[],
  values: readonly (number | null)[][],
  { additive, order, seriesMax }: Keeping,
  notes: string[],
): Series[] {
  const sizes = values.map((list) => list.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  const bySize = all.map((_, at) => at);
  if (order === 'size' || all.length > seriesMax)
    bySize.sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  const shown = bySize.slice(0, seriesMax);
  const rest = bySize.slice(seriesMax);
  const rank = (at: number) => severityRank(all[at]?.name);
  if (order === 'severity') shown.sort((a, b) => rank(a) - rank(b));
  const series = shown.map((at, index): Series => {
    const named = all[at] ?? { name: '', measure: plain };
    const tone: Tone =
      order === 'severity' ? { kind: 'severity', name: named.name } : toneAt(index, seriesMax);
    return { ...named, tone, values: values[at] ?? [] };
  });
  if (rest.length === 0) return series;
  if (!additive) {
    notes.push(`Showing the ${seriesMax} largest of ${formatCount(all.length)} series.`);
    return series;
  }
  const sums = (values[0] ?? []).map((_, point) =>
    rest.reduce((sum, at) => sum + (values[at]?.[point] ?? 0), 0),
  );
  const name = `${formatCount(rest.length)} ${rest.length === 1 ? 'other' : 'others'}`;
  const measure = series[0]?.measure ?? plain;
  return [...series, { name, tone: { kind: 'other' }, values: sums, measure }];
}

type Keeping = { additive: boolean; order: 'own' | 'size' | 'severity'; seriesMax: number };

/** If there are more series than colours, the remaining ones are grey. */
function toneAt(index: number, seriesMax: number): Tone {
  return index < SERIES_MAX || seriesMax <= SERIES_MAX
    ? { kind: 'series', index }
    : { kind: 'other' };
}

function pointOf(row: readonly Cell[], axis: number): Point {
  const cell = row[axis];
  const time = typeof cell === 'string' ? Date.parse(cell) : NaN;
  return { name: cellName(cell), time: Number.isNaN(time) ? null : time, row };
}

function cellName(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return 'no value';
  return cell === '' ? 'empty' : String(cell);
}

function numberIn(cell: Cell | undefined): number | null {
  return typeof cell === 'number' && Number.isFinite(cell) ? cell : null;
}

function smallestStep(points: readonly Point[]): number | null {
  const times = points.flatMap(({ time }) => time ?? []);
  const steps = times.slice(1).map((time, at) => time - (times[at] ?? time));
  const smallest = Math.min(...steps.filter((step) => step > 0));
  return Number.isFinite(smallest) ? smallest : null;
}
