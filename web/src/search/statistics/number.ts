/**
 * The number format of a column: its unit, and the number of digits that is needed to compare its
 * numbers.
 */
import { formatCount } from '../../ui/number';
import type { Column } from './queries';

/** The space between a number and its unit, and between thousands: narrow and non-breaking. */
const THIN = '\u202f';

export type WriteNumber = (value: number) => string;

const SIGNIFICANT = 4;
const DECIMALS_MAX = 6;

/** A common format for all of these numbers, so that their decimal points are aligned. */
export function writerOf(values: Iterable<number>, { unit, factor }: Measure = plain): WriteNumber {
  if (unit !== null) return (value) => signed(value, (size) => withUnit(size * factor, unit));
  const decimals = decimalsOf(values);
  return (value) => signed(value, (size) => plainNumber(size, decimals));
}

/** A format that is short enough for an axis. */
export function shortWriterOf({ unit, factor }: Measure): WriteNumber {
  return (value) => {
    if (value === 0) return '0';
    return signed(value, (size) =>
      unit === null ? shortNumber(size) : withUnit(size * factor, unit, true),
    );
  };
}

/** The numbers in a sentence from the server, grouped like all others. */
export function groupedIn(text: string): string {
  return text.replaceAll(/(?<![\w.:-])\d{4,}(?![\w:-]|\.\d)/gu, (digits) =>
    digits.length > 15 ? digits : formatCount(Number(digits)),
  );
}

function decimalsOf(values: Iterable<number>): number {
  let most = 0;
  let needed = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    most = Math.max(most, Math.abs(value));
    needed = Math.max(needed, decimalsIn(value));
  }
  const whole = most === 0 ? 1 : Math.floor(Math.log10(most)) + 1;
  return Math.min(needed, Math.min(DECIMALS_MAX, Math.max(1, SIGNIFICANT - whole)));
}

function decimalsIn(value: number): number {
  if (Number.isInteger(value)) return 0;
  const [, decimals = ''] = value.toFixed(DECIMALS_MAX).replace(/0+$/u, '').split('.');
  // The number is too small for this many decimals, but it is not zero.
  return decimals === '' ? DECIMALS_MAX : decimals.length;
}

function plainNumber(size: number, decimals: number): string {
  if (!Number.isFinite(size)) return String(size);
  if (size >= 1e21 || (size !== 0 && size < 10 ** -DECIMALS_MAX)) return size.toPrecision(4);
  const [whole = '', rest] = size.toFixed(decimals).split('.');
  return `${formatCount(Number(whole))}${rest === undefined ? '' : `.${rest}`}`;
}

/** `950`, `1.2k`, `3.4M`, `0.05`. */
function shortNumber(size: number): string {
  const scale = scales.find(([least]) => size >= least);
  if (scale !== undefined) return `${trimmed(size / scale[0])}${THIN}${scale[1]}`;
  return size > 0 && size < 0.001 ? size.toExponential(0) : trimmed(size);
}

const scales: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

function withUnit(size: number, unit: Unit, isShort = false): string {
  if (!Number.isFinite(size)) return String(size);
  const digits = isShort ? trimmed : threeDigits;
  if (unit === 'seconds' && size >= MINUTE_FROM) return longTime(size);
  const steps = unit === 'seconds' ? times : sizes;
  // 999.6 in one unit is shown as 1.00 in the next one.
  const step = steps.find(([least]) => size >= least * 0.9995) ?? steps.at(-1);
  if (size === 0 || step === undefined) return `0${THIN}${unit === 'seconds' ? 's' : 'B'}`;
  const [least, name] = step;
  const isWhole = name === 'B' && Number.isInteger(size);
  return `${isWhole ? String(size) : digits(size / least)}${THIN}${name}`;
}

const times: readonly (readonly [number, string])[] = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
];
const sizes: readonly (readonly [number, string])[] = [
  [1e15, 'PB'],
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
  [1, 'B'],
];

const MINUTE_FROM = 120;

/** `2 min 5 s`, `3 h 20 min`, `4 d 6 h`: the two largest units. */
function longTime(seconds: number): string {
  const all = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const first = all.findIndex(([length]) => seconds >= length * (length === 86_400 ? 2 : 1));
  const [large = all[3], small] = all.slice(first, first + 2);
  let count = Math.floor(seconds / large[0]);
  let rest = small === undefined ? 0 : Math.round((seconds - count * large[0]) / small[0]);
  if (small !== undefined && rest * small[0] >= large[0]) [count, rest] = [count + 1, 0];
  const head = `${formatCount(count)}${THIN}${large[1]}`;
  return rest === 0 || small === undefined ? head : `${head} ${rest}${THIN}${small[1]}`;
}

function threeDigits(size: number): string {
  return size.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

function trimmed(size: number): string {
  return String(Number(size.toPrecision(3)));
}

function signed(value: number, write: WriteNumber): string {
  return value < 0 ? `−${write(-value)}` : write(value);
}

type Unit = 'seconds' | 'bytes';
/** Multiplying a number of the column by `factor` gives it in the unit. */
export type Measure = { unit: Unit | null; factor: number };

/**
 * The unit of a column's numbers: as stated by the server, or else according to the name of the
 * field.
 */
export const plain: Measure = { unit: null, factor: 1 };

/** `ms`, `took_ms`, `durationMs`, `bytes`, `sent_bytes`, `rcvdbyte`. */
const namedUnits: readonly (readonly [RegExp, Measure])[] = [
  [/(?:^|[._-])(?:ms|msecs?|millis|milliseconds)$|[a-z]Ms$/u, { unit: 'seconds', factor: 1e-3 }],
  [/(?:^|[._-])(?:us|usecs?|micros|microseconds)$|[a-z]Us$/u, { unit: 'seconds', factor: 1e-6 }],
  [/(?:^|[._-])(?:ns|nsecs?|nanos|nanoseconds)$|[a-z]Ns$/u, { unit: 'seconds', factor: 1e-9 }],
  [/(?:^|[._-])(?:secs?|seconds)$|[a-z]Seconds$/u, { unit: 'seconds', factor: 1 }],
  [/bytes?$/iu, { unit: 'bytes', factor: 1 }],
];

/** These functions return numbers in the unit of their argument. */
const KEEPS_UNIT = /^(?:sum|avg|min|max|median|p\d+(?:\.\d+)?)\((.+)\)$/u;

export function measureOf({ name, kind, unit }: Column): Measure {
  if (kind !== 'number') return plain;
  if (unit === 'seconds' || unit === 'bytes') return { unit, factor: 1 };
  const field = KEEPS_UNIT.exec(name)?.[1] ?? name;
  // A count has no unit, whatever the name of the field that it counts.
  if (/[()]/u.test(field)) return plain;
  return namedUnits.find(([named]) => named.test(field))?.[1] ?? plain;
}
