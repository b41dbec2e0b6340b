/** How the console writes amounts: exact where the reader may count on them, short where they move. */

/** `1 234 567`, with narrow no-break spaces: exact, and the same in every locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** `1 message`, `1 234 messages` */
export function formatMessages(count: number): string {
  return count === 1 ? '1 message' : `${formatCount(count)} messages`;
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

/** Messages per second: `0`, `0.4`, `12`, `1 234`. */
export function formatRate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 10) return perSecond.toFixed(1);
  return formatCount(Math.round(perSecond));
}
