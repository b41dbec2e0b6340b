/** Focuses the field that is filled in first in the form of a new item. */
import { type RefObject, useEffect, useRef } from 'react';

export function useFocusOnNew(isNew: boolean): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) field.current?.select();
  }, [isNew]);
  return field;
}
