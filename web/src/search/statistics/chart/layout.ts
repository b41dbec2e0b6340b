/** The layout of a chart's marks. Pure: numbers in, pixel positions out. */
import type { Plot, Series, Tone } from '../pivot';
import { type Measure, plain } from '../number';
import { unitTicks } from './scale';

export type Kind = 'bars' | 'lines' | 'area';
export type Box = { left: number; top: number; width: number; height: number };
export type Bar = Box & { point: number; series: number; tone: Tone };
export type Line = { tone: Tone; series: number; path: string; area: string | null; dots: Dot[] };
export type Dot = { x: number; y: number; point: number };
export type Scale = { low: number; high: number; ticks: readonly number[] };

/** The kinds that can show a plot, the most suitable one first. */
export function kindsFor(plot: Plot): readonly Kind[] {
  return plot.axis === 'time' ? ['lines', 'bars', 'area'] : ['bars'];
}

/** Bars and areas start at zero; so do lines if their heights are to be compared. */
export function valueScale(plot: Plot, kind: Kind, count: number): Scale {
  const stacked = isStacked(plot, kind);
  const tops = plot.points.flatMap((_, point) =>
    stacked
      ? [plot.series.reduce((sum, { values }) => sum + (values[point] ?? 0), 0)]
      : plot.series.map(({ values }) => values[point] ?? 0),
  );
  const low = tops.reduce((least, value) => Math.min(least, value), 0);
  const high = tops.reduce((most, value) => Math.max(most, value), 0);
  const found = unitTicks(low, high, count, axisMeasure(plot));
  return { low: found[0] ?? 0, high: found.at(-1) ?? 1, ticks: found };
}

/** The unit of the value axis; none if the series have different units. */
export function axisMeasure({ series }: Plot): Measure {
  const [first] = series;
  const isOne = series.every(({ measure }) => measure.unit === first?.measure.unit);
  return (isOne && first?.measure) || plain;
}

export function isStacked(plot: Plot, kind: Kind): boolean {
  return plot.stackable && kind !== 'lines';
}

/** The position of a value along an axis of `length` pixels. */
export function along(value: number, { low, high }: Scale, length: number): number {
  return ((value - low) / (high - low)) * length;
}

/** The first and the last moment of a plot's axis. */
export function timeEnds(plot: Plot): { from: number; to: number } {
  const from = plot.points[0]?.time ?? 0;
  const last = plot.points.at(-1)?.time ?? from;
  return { from, to: last + (plot.spanMs ?? 1000) };
}

/** The left edge and the width of each time slot; lines go through the middles. */
export function timeSlots(plot: Plot, width: number): { left: number; width: number }[] {
  const { from, to } = timeEnds(plot);
  const scale = width / Math.max(1, to - from);
  const span = (plot.spanMs ?? to - from) * scale;
  return plot.points.map(({ time }) => ({ left: ((time ?? from) - from) * scale, width: span }));
}

/** Vertical bars, with one slot for each point in time. */
export function verticalBars(plot: Plot, scale: Scale, width: number, height: number): Bar[] {
  const slots = timeSlots(plot, width);
  return barsIn(plot, scale, height, isStacked(plot, 'bars')).map((bar) => {
    const slot = slots[bar.point] ?? { left: 0, width: 0 };
    const gap = slot.width > 6 ? 2 : slot.width > 3 ? 1 : 0;
    const each = Math.max(0.5, (slot.width - gap) / bar.lanes);
    const top = height - bar.start - bar.length;
    return {
      ...bar,
      left: slot.left + gap / 2 + bar.lane * each,
      top,
      width: each,
      height: bar.length,
    };
  });
}

/** The same bars as one path for each series. */
export function barPaths(plot: Plot, scale: Scale, width: number, height: number) {
  const paths = plot.series.map(({ tone }, series) => ({ series, tone, path: '' }));
  const shown = plot.points.length > width ? highestOfPixels(plot, width) : null;
  for (const bar of verticalBars(plot, scale, width, height)) {
    const into = paths[bar.series];
    if (into === undefined || shown?.has(bar.point) === false) continue;
    const [x, y, w, h] = [bar.left, bar.top, Math.max(shown ? 1 : 0, bar.width), bar.height].map(
      round,
    );
    into.path += `M${x},${y}h${w}v${h}h-${w}z`;
  }
  return paths;
}

/** The highest point of each pixel, if there are more points than pixels. */
function highestOfPixels(plot: Plot, width: number): ReadonlySet<number> {
  const best = new Map<number, { point: number; sum: number }>();
  timeSlots(plot, width).forEach(({ left }, point) => {
    const sum = plot.series.reduce((sum, { values }) => sum + Math.abs(values[point] ?? 0), 0);
    const pixel = Math.floor(left);
    if (sum > (best.get(pixel)?.sum ?? -1)) best.set(pixel, { point, sum });
  });
  return new Set([...best.values()].map(({ point }) => point));
}

/** Horizontal bars, with a row of `rowHeight` for each name. */
export function horizontalBars(plot: Plot, scale: Scale, width: number, rowHeight: number): Bar[] {
  return barsIn(plot, scale, width, isStacked(plot, 'bars')).map((bar) => {
    const each = (rowHeight - ROW_GAP) / bar.lanes;
    const top = bar.point * rowHeight + ROW_GAP / 2 + bar.lane * each;
    return { ...bar, left: bar.start, top, width: bar.length, height: each };
  });
}

const ROW_GAP = 8;

type Strip = {
  point: number;
  series: number;
  tone: Tone;
  start: number;
  length: number;
  lane: number;
  lanes: number;
};

/** Each value as a segment along the value axis: stacked, or side by side in lanes. */
function barsIn(plot: Plot, scale: Scale, length: number, stacked: boolean): Strip[] {
  const zero = along(0, scale, length);
  const lanes = stacked ? 1 : plot.series.length;
  return plot.points.flatMap((_, point) => {
    let below = 0;
    return plot.series.flatMap(({ values, tone }, series) => {
      const value = values[point] ?? 0;
      if (value === 0) return [];
      const from = stacked ? along(below, scale, length) : zero;
      below += value;
      const to = along(stacked ? below : value, scale, length);
      const start = Math.min(from, to);
      const lane = stacked ? 0 : series;
      return [{ point, series, tone, start, length: Math.abs(to - from), lane, lanes }];
    });
  });
}

/**
 * A line for each series, interrupted where there is no value; areas extend down to zero or to the
 * series below.
 */
export function lines(plot: Plot, scale: Scale, width: number, height: number, kind: Kind): Line[] {
  const slots = timeSlots(plot, width);
  const stacked = isStacked(plot, kind);
  const base = plot.points.map(() => 0);
  const left = leftOut(plot);
  return plot.series.map((one, series) => {
    const runs = runsOf(one, base, stacked, left);
    const place = (point: number, value: number): Dot => {
      const slot = slots[point] ?? { left: 0, width: 0 };
      return { point, x: slot.left + slot.width / 2, y: height - along(value, scale, height) };
    };
    const tops = runs.map((run) => thinned(run.map(({ point, to }) => place(point, to))));
    const floors = runs.map((run) => thinned(run.map(({ point, from }) => place(point, from))));
    const area = tops.map((top, run) => `${pathOf([...top, ...(floors[run] ?? []).reverse()])}Z`);
    return {
      tone: one.tone,
      series,
      path: tops.map(pathOf).join(''),
      area: kind === 'area' ? area.join('') : null,
      // A value between two gaps has no line, so it is shown as a dot.
      dots: tops.flatMap((top) => (top.length === 1 ? top : [])),
    };
  });
}

/**
 * The sum of a partial span would look like a drop. It is only shown if there is hardly anything
 * else.
 */
function leftOut({ points, partial, stackable }: Plot): ReadonlySet<number> {
  const isShown = !stackable || points.length - partial.size < 2;
  return new Set(isShown ? [] : partial.keys());
}

/**
 * For each pixel across, the first, the lowest, the highest and the last point: the drawing looks the same, and takes
 * no longer for ten thousand points.
 */
export function thinned(dots: readonly Dot[]): Dot[] {
  const kept: Dot[] = [];
  for (let start = 0; start < dots.length;) {
    const pixel = Math.floor(dots[start]?.x ?? 0);
    let end = start + 1;
    let [low, high] = [start, start];
    for (; end < dots.length && Math.floor(dots[end]?.x ?? 0) === pixel; end += 1) {
      if ((dots[end]?.y ?? 0) < (dots[low]?.y ?? 0)) low = end;
      if ((dots[end]?.y ?? 0) > (dots[high]?.y ?? 0)) high = end;
    }
    const places = [...new Set([start, Math.min(low, high), Math.max(low, high), end - 1])];
    kept.push(...places.flatMap((place) => dots[place] ?? []));
    start = end;
  }
  return kept;
}

type Step = { point: number; from: number; to: number };

/** Raises `base` by each series if values are stacked. */
function runsOf(
  { values }: Series,
  base: number[],
  stacked: boolean,
  left: ReadonlySet<number>,
): Step[][] {
  const runs: Step[][] = [];
  let run: Step[] = [];
  values.forEach((value, point) => {
    if (left.has(point) || (value === null && !stacked)) {
      if (run.length > 0) runs.push(run);
      run = [];
      return;
    }
    const from = stacked ? (base[point] ?? 0) : 0;
    const to = from + (value ?? 0);
    if (stacked) base[point] = to;
    run.push({ point, from, to });
  });
  return run.length > 0 ? [...runs, run] : runs;
}

function pathOf(dots: readonly Dot[]): string {
  return dots.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${round(x)},${round(y)}`).join('');
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** The point under the pointer: that of its slot, or the nearest one if there are gaps. */
export function pointAt(slots: readonly { left: number; width: number }[], x: number): number {
  let nearest = 0;
  let least = Infinity;
  slots.forEach(({ left, width }, at) => {
    const distance = Math.abs(left + width / 2 - x);
    if (distance < least) [nearest, least] = [at, distance];
  });
  return nearest;
}
