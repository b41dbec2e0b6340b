/** The order of the columns of lines: kept by this browser, since it is a matter of habit. */
import { useMemo } from 'react';
import { type LinePart, type Look, lineParts } from '../../ui/message/look';
import { useKept } from '../../ui/useKept';
import { moved } from './columns';

export function useLineOrder() {
  const [kept, setOrder] = useKept<readonly LinePart[]>({
    key: 'logstead-line-columns',
    defaultValue: lineParts,
  });
  const order = useMemo(() => readOrder(kept), [kept]);
  return [order, setOrder] as const;
}

/** The look with its columns in the reader's order. */
export function useOrdered(look: Look): Look {
  const [order] = useLineOrder();
  return useMemo(() => ({ ...look, order }), [look, order]);
}

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
