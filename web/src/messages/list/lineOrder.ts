/** The order of the columns of lines: kept by this browser, since it is a matter of habit. */
import { type LinePart, lineParts } from '../../ui/message/look';
import { moved } from './columns';

/** What was kept by another version is completed. */
export function readOrder(kept: readonly string[]): readonly LinePart[] {
  const known = kept.flatMap((name) => lineParts.find((part) => part === name) ?? []);
  const parts = [...new Set(known)];
  return [...parts, ...lineParts.filter((part) => !parts.includes(part))];
}

/** With a part at the place of another that is shown. */
export function movedPart(
  order: readonly LinePart[],
  part: string,
  to: string | undefined,
): readonly LinePart[] {
  const at = order.findIndex((one) => one === to);
  return readOrder(moved(order, part, at));
}
