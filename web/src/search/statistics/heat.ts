/**
 * The deviation of a value from the usual values of its column: from 0 (usual) to 1 (the largest
 * deviation).
 */

/** The factor from which on a value is conspicuous: twice the usual one. */
const FACTOR_MIN = 2;
/**
 * The minimum share of the largest value: five out of a few thousand mean nothing, even if that is
 * unusual for the column.
 */
const SHARE_MIN = 0.05;

type Values = readonly (number | null)[];

/** `most` is the largest value of the table. */
export function heatOf(values: Values, most: number): readonly number[] {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const usual = known[Math.floor(known.length / 2)] ?? 0;
  const top = known.at(-1) ?? 0;
  const from = Math.max(usual * FACTOR_MIN, most * SHARE_MIN);
  return values.map((value) => {
    if (value === null || value < from || value <= 0) return 0;
    return top === from ? 1 : 0.4 + 0.6 * ((value - from) / (top - from));
  });
}
