/** The daily volume of each target, and its share of the disk. Pure. */
import type { LogspaceStatus } from '../../api/model';
import { formatBytes, formatCount } from '../../ui/number';
import { type TimeRange, resolve } from '../../ui/range';
import { targetText } from '../../ui/trace/targets';
import type { TargetReport, TestReport } from './wire';

const DAY_MS = 86_400_000;
const LOGSPACE = 'logspace:';

export type DailyVolume = {
  target: string;
  name: string;
  isLogspace: boolean;
  before: number;
  after: number;
  /** Bytes per day, or the bytes of these messages alone if they cover no time. */
  beforeBytes: number;
  afterBytes: number;
};

/**
 * The number of days in which the messages came, within the requested time: a host whose clock is ahead does not make
 * an hour longer. Null if that is meaningless.
 */
export function daysOf(
  { range }: Pick<TestReport, 'range'>,
  tested: AskedRange | null,
): number | null {
  if (range === undefined) return null;
  const at = tested === null ? NaN : Date.parse(tested.at);
  const asked = tested === null ? null : resolve(tested.messages.range, at);
  const from = Math.max(Date.parse(range.from), asked?.from ?? -Infinity);
  const end = asked?.to ?? (Number.isNaN(at) ? Infinity : at);
  const ms = Math.min(Date.parse(range.to), end) - from;
  return ms > 0 ? ms / DAY_MS : null;
}

type AskedRange = { at: string; messages: { range: TimeRange } };

/** `in this hour`, `in 3 days` */
export function stretchText(days: number): string {
  const minutes = days * 1_440;
  if (minutes < 1.5) return 'in a minute';
  if (minutes < 90) return `in ${Math.round(minutes)} minutes`;
  if (days < 2) return `in ${Math.round(minutes / 60)} hours`;
  return `in ${Math.round(days)} days`;
}

export function dailyVolumes(targets: readonly TargetReport[], days: number | null): DailyVolume[] {
  const daily = (bytes: number) => Math.round(bytes / (days ?? 1));
  return targets
    .map(({ target, before, after }) => ({
      target,
      name: targetText(target),
      isLogspace: target.startsWith(LOGSPACE),
      before: before.messages,
      after: after.messages,
      beforeBytes: daily(before.bytes),
      afterBytes: daily(after.bytes),
    }))
    .sort((a, b) => Number(b.isLogspace) - Number(a.isLogspace));
}

/**
 * The bytes of disk a day that the draft adds, or saves if negative: each logspace compresses as it does now, and an
 * empty one as the others do. Null if unknown.
 */
export function diskChange(
  targets: readonly TargetReport[],
  days: number | null,
  logspaces: readonly LogspaceStatus[],
): number | null {
  const own = targets.filter(({ target }) => target.startsWith(LOGSPACE));
  // The number of bytes on the disk per received byte.
  const ratios = new Map<string, number>();
  let [disk, raw] = [0, 0];
  for (const { target, before } of own) {
    const stored = logspaces.find(({ id }) => id === targetText(target));
    if (stored === undefined || stored.messages === 0 || before.bytes === 0) continue;
    const diskBytes = (stored.stored_bytes / stored.messages) * before.messages;
    ratios.set(target, diskBytes / before.bytes);
    disk += diskBytes;
    raw += before.bytes;
  }
  if (raw === 0 || days === null) return null;
  const change = own.reduce(
    (sum, { target, before, after }) =>
      sum + (after.bytes - before.bytes) * (ratios.get(target) ?? disk / raw),
    0,
  );
  return change / days;
}

/** The effect of the draft on the disk: `saves 5.4 GiB of disk a day`; empty if there is none. */
export function diskText(change: number): string {
  if (Math.abs(change) < 1) return '';
  const bytes = formatBytes(Math.round(Math.abs(change)));
  return change < 0 ? `saves ${bytes} of disk a day` : `adds ${bytes} of disk a day`;
}

/** `+18 %`, `same`, `new` */
export function changeText(before: number, after: number): string {
  if (before === after) return 'same';
  if (before === 0) return 'new';
  if (after === 0) return 'nothing';
  const percent = Math.round((100 * (after - before)) / before);
  if (percent === 0) return after > before ? '< +1 %' : '> −1 %';
  return percent > 0 ? `+${formatCount(percent)} %` : `−${-percent} %`;
}
