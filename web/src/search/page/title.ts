/**
 * The title of the tab: the query, the range, and the product, so that many tabs can be
 * distinguished.
 */
import { type TimeRange, rangeLabel } from '../../ui/range';
import type { Zone } from '../../ui/time';

const QUERY_MAX = 60;

export function titleOf(query: string, range: TimeRange, zone: Zone): string {
  const text = query.replace(/\s+/g, ' ').trim();
  const asked = Array.from(text);
  const short = asked.length > QUERY_MAX ? `${asked.slice(0, QUERY_MAX - 1).join('')}…` : text;
  const what = short === '' ? 'Search' : short === '*' ? 'All messages' : short;
  return `${what} · ${rangeText(range, zone)} · Logstead`;
}

/** `24 h`, `All time`, or both ends of the range. */
function rangeText(range: TimeRange, zone: Zone): string {
  if (range.kind !== 'last') return rangeLabel(range, zone);
  const names = { s: 's', m: 'min', h: 'h', d: 'd', w: 'w' };
  const unit = names[range.span.slice(-1) as keyof typeof names];
  return `${range.span.slice(0, -1)} ${unit}`;
}
