/** Tells the browser's performance tools when something came on the screen. */
import { useEffect } from 'react';

/** `of` says what it is about: the mark is made once for each. */
export function useMark(name: string, of: string, isShown: boolean): void {
  useEffect(() => {
    if (isShown) performance.mark(name, { detail: of });
  }, [name, of, isShown]);
}
