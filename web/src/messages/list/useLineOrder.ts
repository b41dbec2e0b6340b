import { useLocalStorage } from '@mantine/hooks';
import { useMemo } from 'react';
import { type LinePart, type Look, lineParts } from '../../ui/message/look';
import { readOrder } from './lineOrder';

export function useLineOrder() {
  const [kept, setOrder] = useLocalStorage<readonly LinePart[]>({
    key: 'logstead-line-columns',
    defaultValue: lineParts,
    getInitialValueInEffect: false,
  });
  const order = useMemo(() => readOrder(kept), [kept]);
  return [order, setOrder] as const;
}

/** The look with its columns in the reader's order. */
export function useOrdered(look: Look): Look {
  const [order] = useLineOrder();
  return useMemo(() => ({ ...look, order }), [look, order]);
}
