/** The senders that need attention, and their order. Pure. */
import type { Sender, SkewBin, SkippedSender } from '../api/model';
import { formatLength } from '../ui/time';
import type { SenderKey, SendersState, SenderFilter, Sort } from './sendersParams';

/** The problems of a sender. */
type Trouble = Exclude<SenderFilter, 'all'>;

/**
 * The minimum share of unparsed messages: less is noise, such as a single line that nobody
 * recognises.
 */
const UNPARSED_PART_MIN = 0.01;

/**
 * The number of steps of the series in a point of the chart: three of five minutes each, a quarter
 * of an hour.
 */
export const STEPS_PER_POINT = 3;

/** The problems of a sender, the most urgent first. */
export function troublesOf(sender: Sender): Trouble[] {
  const isUnparsed = unparsedPart(sender) >= UNPARSED_PART_MIN;
  return [
    ...(sender.silent ? (['silent'] as const) : []),
    ...(sender.skewed ? (['skewed'] as const) : []),
    ...(isUnparsed ? (['unparsed'] as const) : []),
    ...(sender.new ? (['new'] as const) : []),
  ];
}

export function unparsedPart({ unparsed, messages }: Sender): number {
  return messages === 0 ? 0 : unparsed / messages;
}

/** The problem in two or three words. */
export function troubleText(trouble: Trouble, sender: Sender): string {
  switch (trouble) {
    case 'silent':
      return `silent ${formatLength(sender.quiet_seconds * 1000)}`;
    case 'skewed':
      return sender.zone === undefined ? skewText(sender.skew_ms ?? 0) : `UTC${sender.zone.guess}?`;
    case 'unparsed':
      return 'unparsed';
    case 'new':
      return 'new';
  }
}

/** `2 h ahead`, `41 s behind`, `in step`. */
export function skewText(skewMs: number): string {
  const size = Math.abs(skewMs);
  if (size < 1000) return 'in step';
  // Seven thousand seconds are shown as two hours, not as a bit less.
  const rounded = size >= 3_600_000 ? Math.round(size / 1_800_000) * 1_800_000 : size;
  return `${lengthText(rounded)} ${skewMs < 0 ? 'ahead' : 'behind'}`;
}

/** `2 h`, `5 h 30 min`, `41 s` */
export function lengthText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const rest = minutes % 60;
  if (minutes < 60 || minutes >= 48 * 60 || rest === 0)
    return formatLength(ms).replace('.0 s', ' s');
  return `${Math.floor(minutes / 60)} h ${rest} min`;
}

export function keyOf({ source, host }: Sender): SenderKey {
  return { source, host };
}

export function isSame(a: SenderKey, b: SenderKey): boolean {
  return a.source === b.source && a.host === b.host;
}

/**
 * The bytes that are in no message, from the address of a sender, or from an address that is open
 * instead of one.
 */
export function skippedOf(
  skipped: readonly SkippedSender[],
  { source, host }: SenderKey,
  sender: Sender | undefined,
): SkippedSender | undefined {
  const address = sender?.address ?? '';
  return skipped.find(
    (row) => row.source === source && row.host === (address === '' ? host : address),
  );
}

/** The number of senders with each problem. */
export function countsOf(senders: readonly Sender[]): Record<SenderFilter, number> {
  const counts = { all: senders.length, silent: 0, skewed: 0, unparsed: 0, new: 0 };
  for (const sender of senders) for (const trouble of troublesOf(sender)) counts[trouble] += 1;
  return counts;
}

export function listed(senders: readonly Sender[], state: SendersState): Sender[] {
  const find = state.find.trim().toLowerCase();
  const isFound = ({ host, source, address, tls_subject = '' }: Sender) =>
    [host, source, address, tls_subject].some((name) => name.toLowerCase().includes(find));
  const { show } = state;
  const chosen = senders.filter(
    (sender) => isFound(sender) && (show === 'all' || troublesOf(sender).includes(show)),
  );
  const direction = state.isReversed ? -1 : 1;
  const compare = comparisons[state.sort];
  return chosen.sort((a, b) => direction * compare(a, b) || byName(a, b));
}

const urgency: Record<Trouble, number> = { silent: 0, skewed: 1, unparsed: 2, new: 3 };

function urgencyOf(sender: Sender): number {
  const [first] = troublesOf(sender);
  return first === undefined ? 4 : urgency[first];
}

function byName(a: Sender, b: Sender): number {
  return a.host.localeCompare(b.host, 'en', { numeric: true }) || a.source.localeCompare(b.source);
}

/** Numbers are sorted from the largest, names from the first. */
const comparisons: Record<Sort, (a: Sender, b: Sender) => number> = {
  state: (a, b) => urgencyOf(a) - urgencyOf(b) || b.rate - a.rate,
  host: byName,
  source: (a, b) => a.source.localeCompare(b.source) || a.protocol.localeCompare(b.protocol),
  rate: (a, b) => b.rate - a.rate,
  seen: (a, b) => Date.parse(b.last_seen) - Date.parse(a.last_seen),
  skew: (a, b) => Math.abs(b.skew_ms ?? 0) - Math.abs(a.skew_ms ?? 0),
  unparsed: (a, b) => unparsedPart(b) - unparsedPart(a),
};

/** A bin of skews in words. `in step`, `1–2 s behind`, `about 2 h ahead`. */
export function binText({ from_ms: from, to_ms: to }: SkewBin): string {
  if (from === null) return 'two days or more ahead';
  if (to === null) return 'two days or more behind';
  if (from < 0 && to > 0) return 'in step';
  const [near, far] = [
    Math.min(Math.abs(from), Math.abs(to)),
    Math.max(Math.abs(from), Math.abs(to)),
  ];
  const side = from < 0 ? 'ahead' : 'behind';
  // From here on, a bin is a quarter of an hour wide.
  if (near >= 450_000) return `about ${lengthText((near + far) / 2)} ${side}`;
  return `${lengthText(near)} to ${lengthText(far)} ${side}`;
}

/**
 * Names for an offset: the time zones that have it now. Pure, apart from the browser's knowledge of
 * zones.
 */

/** The zones that have this offset (`+02:00`) at a moment, beginning with the browser's own. */
export function zonesWith(offset: string, at: Date, own = ownZone()): string[] {
  const others = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== own);
  return [own, ...others].filter((zone) => offsetOf(zone, at) === offset);
}

/** `+02:00` */
export function offsetOf(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return name === 'GMT' ? '+00:00' : name.replace('GMT', '');
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
