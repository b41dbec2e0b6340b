/**
 * The number formats of the console: exact if users may rely on the numbers, short if the numbers
 * keep changing.
 */

/** `1 234 567`, with narrow no-break spaces: exact, and the same in every locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** `1 message`, `1 234 messages` */
export function formatMessages(count: number): string {
  return count === 1 ? '1 message' : `${formatCount(count)} messages`;
}

/**
 * `9 999`, `12.3 k`, `3.04 M`: for numbers that change so often that an exact figure would not
 * stand still.
 */
export function formatShort(count: number): string {
  if (count < 10_000) return formatCount(count);
  const units = ['k', 'M', 'G', 'T'];
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`;
}

/** `950 B`, `1.5 KiB`, `2.0 GiB` */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? String(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** `1.8 of 4 GiB`: the used part of a limit, both in the limit's unit. */
export function formatPart(bytes: number, max: number): string {
  const [amount = '', unit = ''] = formatBytes(max).split(' ');
  const size = Number(amount) === 0 ? 1 : max / Number(amount);
  const trimmed = (text: string) => text.replace(/\.0$/, '');
  return `${trimmed((bytes / size).toFixed(1))} of ${trimmed(amount)} ${unit}`;
}

/** Messages per second: `0`, `0.4`, `12`, `1 234`; `–` if it is not measured. */
export function formatRate(perSecond: number | null): string {
  if (perSecond === null) return '–';
  if (perSecond > 0 && perSecond < 10) return perSecond.toFixed(1);
  return formatCount(Math.round(perSecond));
}
