/** A table as what a chart draws: points along a line of times or of names, for each of a few series. */
import { severityRank } from './order';
import type { Shape } from './shape';
import type { Cell, Table } from './queries';

/** More lines or colours than these cannot be told apart. */
export const SERIES_MAX = 7;
export const BARS_MAX = 24;

export type Tone =
  { kind: 'series'; index: number } | { kind: 'severity'; name: string } | { kind: 'other' };
export type Series = { name: string; tone: Tone; values: readonly (number | null)[] };
export type Point = { name: string; time: number | null; row: readonly Cell[] };

export type Plot = {
  axis: 'time' | 'names';
  /** The place of the column that the points are the values of. */
  column: number;
  points: readonly Point[];
  series: readonly Series[];
  /** Whether the values of the series at a point add up to something. */
  stackable: boolean;
  /** How long a point of time lasts. */
  spanMs: number | null;
  measure: string;
  /** What is not in the plot. */
  notes: readonly string[];
};

/**
 * Null where there is nothing to draw. `measure` names a column; all of them where it is empty and nothing splits.
 * With `byTotal` the names come in the order of the sums of their rows, not in that of the rows.
 */
export function plotOf(
  table: Table,
  shape: Shape,
  rows: readonly (readonly Cell[])[],
  measure: string,
  spanMs: number | null,
  byTotal = false,
): Plot | null {
  const [first, ...splits] = axisFirst(table, shape.groups);
  const chosen = shape.measures.find((column) => table.columns[column]?.name === measure);
  const column = chosen ?? shape.measures[0];
  if (first === undefined || column === undefined || rows.length === 0) return null;
  const axis = table.columns[first]?.kind === 'time' ? 'time' : 'names';
  const all = splits.length === 0 && chosen === undefined && axis === 'time';
  const drawn = axis === 'time' ? inTime(rows, first) : rows;
  const { points, values, names } =
    splits.length === 0
      ? byMeasure(table, drawn, first, all ? shape.measures : [column])
      : bySplit(drawn, first, splits, column, byTotal && axis === 'names');
  const additive = shape.additive.has(column) && !(all && shape.measures.length > 1);
  const isSeverity = splits.length === 1 && table.columns[splits[0] ?? -1]?.kind === 'severity';
  const seriesOrder = splits.length === 0 ? 'own' : isSeverity ? 'severity' : 'size';
  const notes: string[] = [];
  const kept = keepGreatest(names, values, additive, seriesOrder, notes);
  const limit = axis === 'time' ? points.length : BARS_MAX;
  if (points.length > limit) notes.push(`The first ${limit} of ${points.length} are drawn.`);
  return {
    axis,
    column: first,
    points: points.slice(0, limit),
    series: kept.map((series) => ({ ...series, values: series.values.slice(0, limit) })),
    stackable: additive,
    spanMs: axis === 'time' ? (spanMs ?? smallestStep(points)) : null,
    measure: all && shape.measures.length > 1 ? '' : (table.columns[column]?.name ?? ''),
    notes,
  };
}

/** Time goes along the axis wherever there is one; else the first group does. */
function axisFirst(table: Table, groups: readonly number[]): number[] {
  const time = groups.find((column) => table.columns[column]?.kind === 'time');
  return time === undefined ? [...groups] : [time, ...groups.filter((column) => column !== time)];
}

/** Time runs to the right however the table is sorted; rows without a time have no place on it. */
function inTime(rows: readonly (readonly Cell[])[], axis: number): (readonly Cell[])[] {
  const timed = rows.map((row) => ({ row, time: pointOf(row, axis).time }));
  return timed
    .filter(({ time }) => time !== null)
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
    .map(({ row }) => row);
}

type Pivoted = { points: Point[]; names: string[]; values: (number | null)[][] };

function byMeasure(
  table: Table,
  rows: readonly (readonly Cell[])[],
  axis: number,
  measures: readonly number[],
): Pivoted {
  return {
    points: rows.map((row) => pointOf(row, axis)),
    names: measures.map((column) => table.columns[column]?.name ?? ''),
    values: measures.map((column) => rows.map((row) => numberIn(row[column]))),
  };
}

function bySplit(
  rows: readonly (readonly Cell[])[],
  axis: number,
  splits: readonly number[],
  measure: number,
  byTotal: boolean,
): Pivoted {
  const points = new Map<string, Point>();
  const series = new Map<string, Map<string, number | null>>();
  for (const row of rows) {
    const point = pointOf(row, axis);
    if (!points.has(point.name)) points.set(point.name, point);
    const name = splits.map((column) => cellName(row[column])).join(' · ');
    const values = series.get(name) ?? new Map<string, number | null>();
    values.set(point.name, numberIn(row[measure]));
    series.set(name, values);
  }
  const totals = new Map<string, number>();
  for (const values of series.values())
    for (const [name, value] of values) totals.set(name, (totals.get(name) ?? 0) + (value ?? 0));
  const names = [...points.keys()];
  if (byTotal) names.sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  return {
    points: names.flatMap((name) => points.get(name) ?? []),
    names: [...series.keys()],
    values: [...series.values()].map((values) => names.map((name) => values.get(name) ?? null)),
  };
}

/** The greatest series; the others are gathered in one more where they add up. */
function keepGreatest(
  names: readonly string[],
  values: readonly (number | null)[][],
  additive: boolean,
  order: 'own' | 'size' | 'severity',
  notes: string[],
): Series[] {
  const sizes = values.map((list) => list.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  const bySize = names.map((_, at) => at);
  if (order === 'size' || names.length > SERIES_MAX)
    bySize.sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  const shown = bySize.slice(0, SERIES_MAX);
  const rest = bySize.slice(SERIES_MAX);
  if (order === 'severity') shown.sort((a, b) => severityRank(names[a]) - severityRank(names[b]));
  const series = shown.map((at, index): Series => {
    const name = names[at] ?? '';
    const tone: Tone =
      order === 'severity' ? { kind: 'severity', name } : { kind: 'series', index };
    return { name, tone, values: values[at] ?? [] };
  });
  if (rest.length === 0) return series;
  if (!additive) {
    notes.push(`The ${SERIES_MAX} greatest of ${names.length} series are drawn.`);
    return series;
  }
  const sums = (values[0] ?? []).map((_, point) =>
    rest.reduce((sum, at) => sum + (values[at]?.[point] ?? 0), 0),
  );
  return [...series, { name: `${rest.length} others`, tone: { kind: 'other' }, values: sums }];
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
