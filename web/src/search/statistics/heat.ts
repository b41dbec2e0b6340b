/** The deviation of a value from what is usual in its column: from 0, usual, to 1, the farthest. */

/** Twice the usual is where it begins to be worth a look. */
const FACTOR_MIN = 2;
/** Five of a few thousand is nothing, however unusual in its own column. */
const SHARE_MIN = 0.05;

type Values = readonly (number | null)[];

/** `most` is the greatest of the table. */
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
