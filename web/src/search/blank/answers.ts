/** The answers of the blank page, from exact counts of the server. Pure. */
import type { Histogram } from '../../api/model';

export type CountedValue = { value: string; count: number };

/**
 * A change in words. It is `worse` only if the count has multiplied: a few per cent more do not
 * matter.
 */
export type Change = { text: string; tone: 'worse' | 'better' | 'same' };

/** The factor from which on an increase is given as a factor. */
const FACTOR_MIN = 2;
/** A factor above this only means that there was next to nothing before. */
const FACTOR_MAX = 100;

/** The change of a count against the previous one; empty if that is unknown. */
export function changeOf(count: number, before: number | undefined): Change | null {
  if (before === undefined) return null;
  if (before === 0) return count === 0 ? null : { text: 'new', tone: 'worse' };
  const factor = count / before;
  if (factor >= FACTOR_MIN) return { text: `×${shortFactor(factor)}`, tone: 'worse' };
  const percent = Math.round((factor - 1) * 100);
  if (percent === 0) return { text: 'same', tone: 'same' };
  if (percent > 0) return { text: `+${percent} %`, tone: 'same' };
  return { text: `−${-percent} %`, tone: 'better' };
}

function shortFactor(factor: number): string {
  if (factor > FACTOR_MAX) return `${FACTOR_MAX}+`;
  return factor < 10 ? factor.toFixed(1).replace(/\.0$/, '') : String(Math.round(factor));
}

/** The values that did not occur before, the most frequent first. */
export function newValues(
  now: readonly CountedValue[],
  before: readonly CountedValue[],
): CountedValue[] {
  const known = new Set(before.map(({ value }) => value));
  return now.filter(({ value }) => !known.has(value));
}

/**
 * Hosts that sent in the range or before it, but not recently; the one with the most messages
 * first.
 */
export function silentHosts(
  heard: readonly (readonly CountedValue[])[],
  lately: readonly CountedValue[],
): CountedValue[] {
  const speaking = new Set(lately.map(({ value }) => value));
  const silent = new Map<string, number>();
  for (const { value, count } of heard.flat()) {
    if (value !== '' && !speaking.has(value)) silent.set(value, (silent.get(value) ?? 0) + count);
  }
  return [...silent]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

/** The counts of one value over time, or of all messages if no value is given. */
export function seriesOf({ buckets }: Histogram, value?: string): number[] {
  return buckets.map(({ count, by }) => (value === undefined ? count : (by?.[value] ?? 0)));
}

/** A share in per cent: never 0 % unless it is nothing, never 100 % unless it is all. */
export function shareOf(count: number, total: number): string {
  if (total === 0 || count === 0) return '0 %';
  const percent = (count / total) * 100;
  if (percent < 1) return '<1 %';
  return `${count < total ? Math.min(Math.round(percent), 99) : 100} %`;
}
