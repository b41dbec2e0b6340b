import { useMemo } from 'react';
import { type LinePart, type Look, lineParts } from '../../ui/message/look';
import { readOrder } from './lineOrder';
import { useKept } from '../../ui/useKept';

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
