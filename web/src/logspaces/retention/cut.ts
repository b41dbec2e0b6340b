/** The point at which a retention cuts through the contents of a logspace. Pure. */
import type { Facet, Histogram } from '../../api/model';
import type { SavedSearch } from '../../api/savedSearches';
import { readRange, resolve } from '../../ui/range';

/**
 * The part that is deleted, oldest messages first: the number of bars in the chart, and the time up
 * to which.
 */
export type RetentionCut = { bars: number; time: number | null };

export function cutOf({ buckets, interval_ms }: Histogram, messages: number): RetentionCut {
  let left = messages;
  for (const [at, { time, count }] of buckets.entries()) {
    if (left <= 0) return { bars: at, time: at === 0 ? null : Date.parse(time) };
    if (left < count) {
      const part = left / count;
      return { bars: at + part, time: Date.parse(time) + part * interval_ms };
    }
    left -= count;
  }
  const last = buckets.at(-1);
  const end = last === undefined ? null : Date.parse(last.time) + interval_ms;
  return { bars: buckets.length, time: messages <= 0 ? null : end };
}

/** The saved searches in this logspace that start before the cut. */
export function lookingBack(
  saved: readonly SavedSearch[],
  id: string,
  cut: number,
  now: number,
): SavedSearch[] {
  return saved.filter(({ from, to, logspaces }) => {
    // A search without a range of its own uses that of the page.
    if (from === null || logspaces?.includes(id) === false) return false;
    const range = readRange(from, to ?? undefined);
    if (range.kind === 'all') return true;
    const start = resolve(range, now)?.from ?? null;
    return start !== null && start < cut;
  });
}

export type HistoryLoss = { field: string; value: string; messages: number; isAll: boolean };

const LOSSES_MAX = 6;

/** The hosts and programs that lose messages; those that lose everything come first. */
export function lossesOf(
  gone: Readonly<Record<string, Facet>>,
  all: Readonly<Record<string, Facet>>,
): (HistoryLoss & { of: number })[] {
  const losses = Object.entries(gone).flatMap(([field, { values }]) => {
    const there = new Map(all[field]?.values.map(({ value, count }) => [value, count]) ?? []);
    return values.map(({ value, count }) => {
      const of = Math.max(there.get(value) ?? count, count);
      return { field, value, messages: count, of, isAll: there.get(value) === count };
    });
  });
  return losses
    .sort((a, b) => Number(b.isAll) - Number(a.isAll) || b.messages - a.messages)
    .slice(0, LOSSES_MAX);
}
