/** The time range, in the form that every page uses in its address and its requests. */
import { type Zone, momentText, requestZone, zoneOffset } from './time';

export type TimeRange =
  | { kind: 'last'; span: string }
  | { kind: 'all' }
  | { kind: 'between'; from: string | null; to: string | null };

export type RequestRange = { from?: string; to?: string; timezone?: string };

/** The ends in milliseconds; null for an open end. */
export type Moments = { from: number | null; to: number | null };

export const presets: readonly { span: string; label: string }[] = [
  { span: '5m', label: 'Last 5 minutes' },
  { span: '15m', label: 'Last 15 minutes' },
  { span: '1h', label: 'Last hour' },
  { span: '6h', label: 'Last 6 hours' },
  { span: '24h', label: 'Last 24 hours' },
  { span: '7d', label: 'Last 7 days' },
  { span: '30d', label: 'Last 30 days' },
];

/** The presets that are always available. */
export const pills: readonly string[] = ['15m', '1h', '24h', '7d'];

export const units = [
  { letter: 's', name: 'second', ms: 1_000 },
  { letter: 'm', name: 'minute', ms: 60_000 },
  { letter: 'h', name: 'hour', ms: 3_600_000 },
  { letter: 'd', name: 'day', ms: 86_400_000 },
  { letter: 'w', name: 'week', ms: 604_800_000 },
] as const;

export const initialRange: TimeRange = { kind: 'last', span: '1h' };

/** Never fails: times that cannot be read are sent to the server, which judges them. */
export function readRange(from: string | undefined, to: string | undefined): TimeRange {
  if (from === undefined && to === undefined) return initialRange;
  if (from === 'all' && to === undefined) return { kind: 'all' };
  // In any notation, a range that ends now is the last span of its length.
  const span = /^(?:now)?-(\d+[smhdw])$/.exec(from ?? '')?.[1];
  if (span !== undefined && (to === undefined || to === 'now')) return { kind: 'last', span };
  return { kind: 'between', from: from ?? null, to: to ?? null };
}

/** The shortest parameters that `readRange` reads as the same range. */
export function writeRange(range: TimeRange): Record<string, string> {
  switch (range.kind) {
    case 'last':
      return isInitial(range) ? {} : { from: `-${range.span}` };
    case 'all':
      return { from: 'all' };
    case 'between':
      // A range without ends is all time.
      if (range.from === null && range.to === null) return { from: 'all' };
      return {
        ...(range.from !== null && { from: range.from }),
        ...(range.to !== null && { to: range.to }),
      };
  }
}

/**
 * The range in the form of requests, with the zone of times without one, in the range and in the
 * query.
 */
export function requestRange(range: TimeRange): RequestRange {
  const zone = requestZone();
  return { ...endsOf(range), ...(zone !== 'UTC' && { timezone: zone }) };
}

/** A relative range has no end, so that messages from fast clocks are included. */
function endsOf(range: TimeRange): Pick<RequestRange, 'from' | 'to'> {
  switch (range.kind) {
    case 'last':
      return { from: `-${range.span}` };
    case 'all':
      return {};
    case 'between':
      return {
        ...(range.from !== null && { from: range.from }),
        ...(range.to !== null && { to: range.to }),
      };
  }
}

/** A range that ends at a fixed moment gets hardly any new messages, so it is not refreshed. */
export function canRefresh(range: TimeRange): boolean {
  return range.kind !== 'between' || range.to === null;
}

export function isSameRange(a: TimeRange, b: TimeRange): boolean {
  return JSON.stringify(writeRange(a)) === JSON.stringify(writeRange(b));
}

/** The moments that a range means at `now`. Null if one of them cannot be read. */
export function resolve(range: TimeRange, now: number): Moments | null {
  switch (range.kind) {
    case 'last': {
      const ms = spanMs(range.span);
      return ms === null ? null : { from: now - ms, to: now };
    }
    case 'all':
      return { from: null, to: null };
    case 'between': {
      const from = range.from === null ? null : momentMs(range.from, now);
      const to = range.to === null ? null : momentMs(range.to, now);
      return Number.isNaN(from) || Number.isNaN(to) ? null : { from, to };
    }
  }
}

/** The range with the moments that it means now, so that it means the same later and elsewhere. */
export function frozen(range: TimeRange, now: number): TimeRange {
  const moments = resolve(range, now);
  if (moments === null || (moments.from === null && moments.to === null)) return range;
  return between(moments.from, moments.to);
}

/** The range of the same length before or after this one; null for a range without a beginning. */
export function shift(range: TimeRange, direction: -1 | 1, now: number): TimeRange | null {
  const closed = closedMoments(range, now);
  if (closed === null) return null;
  const by = direction * (closed.to - closed.from);
  return between(closed.from + by, closed.to + by);
}

/**
 * A range of twice the length around the same middle. If the range ends now, the new one does too.
 */
export function zoomOut(range: TimeRange, now: number): TimeRange | null {
  if (range.kind === 'last') {
    const ms = spanMs(range.span);
    return ms === null ? null : { kind: 'last', span: spanOf(2 * ms) };
  }
  const closed = closedMoments(range, now);
  if (closed === null) return null;
  const length = closed.to - closed.from;
  // There are no messages in the future: the part that would be there is added to the past.
  const to = Math.min(closed.to + length / 2, Math.max(now, closed.to));
  return between(to - 2 * length, isOpenEnded(range) ? null : to);
}

/** The length of `90m` in milliseconds. */
export function spanMs(span: string): number | null {
  const [, amount, letter] = /^(\d+)([smhdw])$/.exec(span) ?? [];
  const unit = units.find((known) => known.letter === letter);
  return unit === undefined || Number(amount) === 0 ? null : Number(amount) * unit.ms;
}

/** A duration in the largest unit that divides it; days are preferred to weeks, as in speech. */
export function spanOf(ms: number): string {
  const unit = units.findLast(({ letter, ms: one }) => letter !== 'w' && ms % one === 0);
  return unit === undefined ? `${Math.ceil(ms / 1000)}s` : `${ms / unit.ms}${unit.letter}`;
}

/** `Last hour`, `2026-01-02 10:00 – 11:30`. */
export function rangeLabel(range: TimeRange, zone: Zone): string {
  switch (range.kind) {
    case 'last':
      return presets.find(({ span }) => span === range.span)?.label ?? `Last ${inWords(range)}`;
    case 'all':
      return 'All time';
    case 'between': {
      const from = momentLabel(range.from, 'start', zone);
      const to = momentLabel(range.to, 'now', zone);
      const isSameDay = /^\d{4}-/.test(from) && from.slice(0, 10) === to.slice(0, 10);
      return `${from} – ${isSameDay ? to.slice(11) : to}`;
    }
  }
}

/** `UTC`, `UTC+01:00`; both offsets if summer time begins or ends within the range. */
export function rangeZone(range: TimeRange, zone: Zone, now: Date): string {
  const { from, to } = resolve(range, now.getTime()) ?? { from: null, to: null };
  const end = zoneOffset(zone, new Date(to ?? now));
  const start = from === null ? end : zoneOffset(zone, new Date(from));
  return start === end ? end : `${start} – ${end}`;
}

function inWords({ span }: { span: string }): string {
  const unit = units.find(({ letter }) => span.endsWith(letter));
  const amount = Number.parseInt(span, 10);
  return unit === undefined ? span : `${amount} ${unit.name}${amount === 1 ? '' : 's'}`;
}

function isInitial(range: { span: string }): boolean {
  return initialRange.kind === 'last' && range.span === initialRange.span;
}

function isOpenEnded(range: TimeRange): boolean {
  return range.kind === 'between' && range.to === null;
}

/** Both ends of the range; a missing one can only be now. */
function closedMoments(range: TimeRange, now: number): { from: number; to: number } | null {
  const { from, to } = resolve(range, now) ?? { from: null, to: null };
  if (from === null) return null;
  const end = to ?? now;
  return from < end ? { from, to: end } : null;
}

function between(from: number | null, to: number | null): TimeRange {
  return { kind: 'between', from: isoOf(from), to: isoOf(to) };
}

/** Moments beyond the possible years of a date are left out. */
function isoOf(ms: number | null): string | null {
  const at = new Date(ms ?? NaN);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** NaN if it is not a moment. */
function momentMs(moment: string, now: number): number {
  if (moment === 'now') return now;
  const [, sign, span] = /^(?:now)?([-+])(\d+[smhdw])$/.exec(moment) ?? [];
  if (span === undefined) return Date.parse(moment);
  return now + (sign === '-' ? -1 : 1) * (spanMs(span) ?? 0);
}

/** A moment in its shortest form, to the second; a relative one is shown as written. */
function momentLabel(moment: string | null, missing: string, zone: Zone): string {
  if (moment === null) return missing;
  return momentText(moment, zone)
    .replace(/\.\d+$/, '')
    .replace(/(\d:\d\d):00$/, '$1');
}
