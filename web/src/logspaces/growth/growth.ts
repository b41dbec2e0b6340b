/**
 * The growth of a logspace, and when it will be full. Pure: based on counts per hour and the
 * average size of a message.
 */
import type { Histogram, LogspaceInfo } from '../../api/model';

const DAY_MS = 86_400_000;
const HOURS = 24;
/** Minimum number of whole days for an average. */
const DAYS_MIN = 2;
/** Maximum number of days of a forecast, beyond which nobody plans. */
const AHEAD_DAYS_MAX = 3_650;

/** In bytes on disk; `typical` is null as long as there is too little history. */
export type Growth = { today: number; typical: number | null };

export function storedBytes(info: LogspaceInfo): number {
  return info.blocks_bytes + info.index_bytes + info.journal_bytes;
}

export function messageBytes(info: LogspaceInfo): number {
  return info.messages === 0 ? 0 : storedBytes(info) / info.messages;
}

/** The growth in the last 24 hours, and the median of the whole days before that. */
export function growthOf(info: LogspaceInfo, hourly: Histogram, now: number): Growth {
  const counts = hourly.buckets.map(({ count }) => count);
  const days: number[] = [];
  for (let end = counts.length; end >= HOURS; end -= HOURS) {
    days.push(counts.slice(end - HOURS, end).reduce((sum, count) => sum + count, 0));
  }
  const [today = counts.reduce((sum, count) => sum + count, 0), ...before] = days;
  const since = Date.parse(info.first_time ?? '');
  const seen = before.filter((_, at) => since <= now - (at + 2) * DAY_MS);
  const each = messageBytes(info);
  return { today: today * each, typical: seen.length < DAYS_MIN ? null : median(seen) * each };
}

/** The change in percent, such as `+12 %`; null if there is nothing to compare with. */
export function changeOf({ today, typical }: Growth): number | null {
  return typical === null || typical === 0 ? null : Math.round((100 * (today - typical)) / typical);
}

export type Limits = { ageMs: number | null; sizeBytes: number | null };

/** A logspace that grows towards its limits. */
export type GrowingLogspace = { id: string; bytes: number; perDay: number | null; limits: Limits };

export type FullForecast =
  /** The history is too short. */
  | { kind: 'unknown' }
  /** It has reached its size limit: the oldest messages are removed as new ones arrive. */
  | { kind: 'at-limit' }
  | { kind: 'days'; days: number; by: 'size' | 'disk' }
  /** Messages expire before anything is full, or that is years away. */
  | { kind: 'never' };

/**
 * When each logspace will be full, by its own size limit or because all of them together fill the
 * disk.
 */
export function whenFull(
  all: readonly GrowingLogspace[],
  freeBytes: number | null,
): Map<string, FullForecast> {
  const disk = freeBytes === null ? null : diskDays(all, freeBytes);
  return new Map(all.map((one) => [one.id, fullOf(one, disk)]));
}

function fullOf(one: GrowingLogspace, disk: number | null): FullForecast {
  const { bytes, perDay, limits } = one;
  const { sizeBytes } = limits;
  if (sizeBytes !== null && bytes >= 0.97 * sizeBytes) return { kind: 'at-limit' };
  if (perDay === null) return { kind: 'unknown' };
  const ceiling = ceilingOf(one);
  const grows = perDay > 0 && bytes < ceiling;
  const own =
    sizeBytes !== null && grows && ceiling === sizeBytes ? (sizeBytes - bytes) / perDay : Infinity;
  const days = Math.min(own, disk ?? Infinity);
  if (days > AHEAD_DAYS_MAX) return { kind: 'never' };
  return { kind: 'days', days: Math.floor(days), by: own <= (disk ?? Infinity) ? 'size' : 'disk' };
}

/** The size it will reach: its intake over the time that messages are kept, or its size limit. */
function ceilingOf({ bytes, perDay, limits: { ageMs, sizeBytes } }: GrowingLogspace): number {
  const held = ageMs === null ? Infinity : Math.max(((perDay ?? 0) * ageMs) / DAY_MS, bytes);
  return Math.min(held, sizeBytes ?? Infinity);
}

/** The number of days until all logspaces together have filled the free space. */
function diskDays(all: readonly GrowingLogspace[], freeBytes: number): number {
  let left = freeBytes;
  const rising = all.flatMap((one) => {
    const { bytes, perDay } = one;
    const room = ceilingOf(one) - bytes;
    return perDay === null || perDay <= 0 || room <= 0 ? [] : [{ perDay, until: room / perDay }];
  });
  // Between the points at which one of them reaches its limit, all that still grow do so at a constant rate.
  let at = 0;
  for (const step of rising.toSorted((a, b) => a.until - b.until)) {
    const rate = rising.reduce((sum, { perDay, until }) => sum + (until > at ? perDay : 0), 0);
    const taken = rate * (step.until - at);
    if (taken >= left) return at + left / rate;
    left -= taken;
    at = step.until;
  }
  return Infinity;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}
