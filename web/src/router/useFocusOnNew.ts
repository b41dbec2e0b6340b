/** The field that one writes first in the form of something new. */
import { type RefObject, useEffect, useRef } from 'react';

export function useFocusOnNew(isNew: boolean): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) field.current?.select();
  }, [isNew]);
  return field;
}
