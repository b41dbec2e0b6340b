/** The unit of a column's numbers: from the server, or else from the name of the field. */
import type { Column } from './queries';

export type Unit = 'seconds' | 'bytes';
/** A number of the column times `factor` is in the unit. */
export type Measure = { unit: Unit | null; factor: number };

export const plain: Measure = { unit: null, factor: 1 };

/** `ms`, `took_ms`, `durationMs`, `bytes`, `sent_bytes`, `rcvdbyte`. */
const namedUnits: readonly (readonly [RegExp, Measure])[] = [
  [/(?:^|[._-])(?:ms|msecs?|millis|milliseconds)$|[a-z]Ms$/u, { unit: 'seconds', factor: 1e-3 }],
  [/(?:^|[._-])(?:us|usecs?|micros|microseconds)$|[a-z]Us$/u, { unit: 'seconds', factor: 1e-6 }],
  [/(?:^|[._-])(?:ns|nsecs?|nanos|nanoseconds)$|[a-z]Ns$/u, { unit: 'seconds', factor: 1e-9 }],
  [/(?:^|[._-])(?:secs?|seconds)$|[a-z]Seconds$/u, { unit: 'seconds', factor: 1 }],
  [/bytes?$/iu, { unit: 'bytes', factor: 1 }],
];

/** These make numbers of the same kind as they are made of. */
const KEEPS_UNIT = /^(?:sum|avg|min|max|median|p\d+(?:\.\d+)?)\((.+)\)$/u;

export function measureOf({ name, kind, unit }: Column): Measure {
  if (kind !== 'number') return plain;
  if (unit === 'seconds' || unit === 'bytes') return { unit, factor: 1 };
  const field = KEEPS_UNIT.exec(name)?.[1] ?? name;
  // A count is in the unit of what it counts, whatever its name.
  if (/[()]/u.test(field)) return plain;
  return namedUnits.find(([named]) => named.test(field))?.[1] ?? plain;
}
