/** The numbers of a field as text, and the range that a brush over their distribution selects. Pure. */
import type { Facet } from '../../api/model';

export type Numbers = NonNullable<Facet['numbers']>;
/** The first and the last bucket of the selection. */
export type Brush = { first: number; last: number };

const DURATIONS = [
  ['ns', 1e-9],
  ['µs', 1e-6],
  ['ms', 1e-3],
  ['s', 1],
  ['min', 60],
  ['h', 3600],
  ['d', 86_400],
] as const;
const SIZES = [
  ['B', 1],
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
] as const;

/**
 * A number as text, such as `3.58 s`, `1.2 MB`, `0.25`: at most three digits, or all digits before
 * the decimal point.
 */
export function numberText(value: number, unit: Numbers['unit']): string {
  const [amount, name] = scaled(value, unit);
  return name === '' ? amount : `${amount} ${name}`;
}

/** The number in the syntax of the query language. */
export function literal(value: number, unit: Numbers['unit']): string {
  return scaled(value, unit).join('');
}

/**
 * The filter for the numbers of a selection; an end that coincides with that of all numbers stays
 * open.
 */
export function spanOf(
  { buckets, unit }: Numbers,
  { first, last }: Brush,
): { from?: string; to?: string } {
  const from = buckets[first]?.from;
  const to = buckets[last + 1]?.from;
  return {
    ...(first > 0 && from !== undefined && { from: literal(from, unit) }),
    ...(to !== undefined && { to: literal(to, unit) }),
  };
}

/** The buckets between two bounds; null if nothing is selected. */
export function brushOf(
  { buckets }: Numbers,
  low: number | undefined,
  high: number | undefined,
): Brush | null {
  if (low === undefined && high === undefined) return null;
  const inside = buckets.flatMap(({ from }, at) => {
    const end = buckets[at + 1]?.from ?? Infinity;
    return end > (low ?? -Infinity) && from < (high ?? Infinity) ? [at] : [];
  });
  const [first] = inside;
  const last = inside.at(-1);
  return first === undefined || last === undefined ? null : { first, last };
}

function scaled(value: number, unit: Numbers['unit']): [amount: string, unit: string] {
  if (unit !== 'duration' && unit !== 'size') return [rounded(value), ''];
  const units = unit === 'duration' ? DURATIONS : SIZES;
  if (value === 0) return ['0', unit === 'duration' ? 's' : 'B'];
  const [name, factor] = units.findLast(([, each]) => Math.abs(value) >= each) ?? units[0];
  return [rounded(value / factor), name];
}

function rounded(value: number): string {
  const text = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return String(text);
}
