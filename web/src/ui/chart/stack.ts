/** A histogram as stacked layers: their values, order and colours. Pure. */
import type { Histogram } from '../../api/model';
import { formatCount } from '../number';

export type Layer = {
  /** The value in the form that a filter uses; null for a layer without a value of its own. */
  value: string | null;
  label: string;
  /** A colour of the theme as CSS. */
  color: string;
  /** A pattern over the colour, so that the worst severities can be recognised without it. */
  pattern: 'none' | 'diagonal' | 'cross';
  counts: readonly number[];
  total: number;
};

export type Stack = {
  /** When each bucket begins, in milliseconds since 1970. */
  times: readonly number[];
  intervalMs: number;
  totals: readonly number[];
  /** The count of the highest bucket. A message with several values is in a layer for each. */
  highest: number;
  /** The layers from the bottom up. */
  layers: readonly Layer[];
};

const LAYERS_MAX = 6;

/** The worst severities are at the bottom, where small counts can be compared. */
export const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];

export function stackOf(histogram: Histogram, split: string): Stack {
  const { buckets, interval_ms: intervalMs, values = [] } = histogram;
  const totals = buckets.map(({ count }) => count);
  const times = buckets.map(({ time }) => Date.parse(time));
  if (split === '') {
    const only = layerOf(null, 'Messages', 'var(--bar-1)', 'none', totals);
    return { times, intervalMs, totals, highest: Math.max(...totals, 0), layers: [only] };
  }
  const isSeverity = split === 'severity';
  const named = values.map(({ value }) => value);
  const shown = isSeverity
    ? severities.filter((name) => named.includes(name))
    : named.slice(0, LAYERS_MAX);
  const layers = shown.map((value, at) => {
    const counts = buckets.map(({ by }) => by?.[value] ?? 0);
    const { color, pattern } = isSeverity ? severityLook(value) : plainLook(at);
    return layerOf(value, value === '' ? '(empty)' : value, color, pattern, counts);
  });
  const heights = totals.map((_, at) => sum(layers.map(({ counts }) => counts[at] ?? 0)));
  const rest = totals.map((total, at) => Math.max(total - (heights[at] ?? 0), 0));
  const others = named.length - shown.length + (histogram.other_values ?? 0);
  const label = others > 0 ? othersText(others) : `no ${split}`;
  const restLayer = layerOf(null, label, 'var(--bar-other)', 'none', rest);
  return {
    times,
    intervalMs,
    totals,
    highest: Math.max(...totals, ...heights, 0),
    layers: restLayer.total > 0 ? [...layers, restLayer] : layers,
  };
}

/** The same stack with only one layer; the whole stack if there is no layer with that name. */
export function isolated(stack: Stack, label: string | null): Stack {
  const alone = stack.layers.filter((layer) => layer.label === label);
  if (alone.length === 0) return stack;
  return {
    ...stack,
    layers: alone,
    highest: Math.max(...alone.flatMap(({ counts }) => counts), 0),
  };
}

function othersText(others: number): string {
  return others === 1 ? '1 other' : `${formatCount(others)} others`;
}

/**
 * For each bucket, whether nothing at all was received, according to the histogram of everything;
 * false if that is not known.
 */
export function silences(stack: Stack, everything: Histogram | undefined): boolean[] {
  if (everything === undefined || everything.interval_ms !== stack.intervalMs) {
    return stack.times.map(() => false);
  }
  const counts = new Map(everything.buckets.map(({ time, count }) => [Date.parse(time), count]));
  return stack.times.map((time, at) => stack.totals[at] === 0 && counts.get(time) === 0);
}

/** The outline of one layer in pixels: a rectangle for each bucket with a count. */
export function layerPath(
  layers: readonly Layer[],
  layer: number,
  { width, height, top }: { width: number; height: number; top: number },
): string {
  const counts = layers[layer]?.counts ?? [];
  const step = width / Math.max(counts.length, 1);
  const gap = step >= 4 ? 1 : 0;
  let path = '';
  counts.forEach((count, at) => {
    if (count === 0) return;
    const below = sum(layers.slice(0, layer).map((other) => other.counts[at] ?? 0));
    const high = height - (below / top) * height;
    // Everything above zero must be visible, however small it is.
    const tall = Math.max((count / top) * height, below === 0 ? 1.5 : 0.5);
    const left = round(at * step);
    const wide = round(step - gap);
    path += `M${left} ${round(high)}h${wide}v${round(-tall)}h${-wide}z`;
  });
  return path;
}

function layerOf(
  value: string | null,
  label: string,
  color: string,
  pattern: Layer['pattern'],
  counts: readonly number[],
): Layer {
  return { value, label, color, pattern, counts, total: sum(counts) };
}

/** The colour of a severity in every chart. */
export function severityLook(name: string): Pick<Layer, 'color' | 'pattern'> {
  switch (name) {
    case 'emerg':
    case 'alert':
    case 'crit':
      return { color: 'var(--bar-critical)', pattern: 'cross' };
    case 'err':
      return { color: 'var(--bar-error)', pattern: 'none' };
    case 'warning':
      return { color: 'var(--bar-warning)', pattern: 'diagonal' };
    case 'notice':
      return { color: 'var(--bar-notice)', pattern: 'none' };
    case 'info':
      return { color: 'var(--bar-info)', pattern: 'none' };
    default:
      return { color: 'var(--bar-debug)', pattern: 'none' };
  }
}

function plainLook(at: number): Pick<Layer, 'color' | 'pattern'> {
  return { color: `var(--bar-${at + 1})`, pattern: 'none' };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
