/** How a table writes its numbers: exact as far as it matters, with room between the thousands. */
import { formatCount } from '../../ui/number';

/** `1 234 567`, `7 608.0686`, `0.00012`. Copies have all digits; here six after the point are enough. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 1e21 || (value !== 0 && Math.abs(value) < 1e-6))
    return value.toPrecision(4);
  const [whole = '', rest] = String(Number(value.toFixed(Math.abs(value) < 1 ? 6 : 3))).split('.');
  const digits = whole.replace('-', '');
  const sign = value < 0 && whole.startsWith('-') ? '−' : '';
  return `${sign}${formatCount(Number(digits))}${rest === undefined ? '' : `.${rest}`}`;
}
