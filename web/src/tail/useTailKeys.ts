/** The keys of the tail page that `useKeys` does not know: those that mean something else where a button has the focus. */
import { useEffect, useRef } from 'react';

export function useTailKeys(keys: { onSpace: () => void; onClear: () => void }): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (document.querySelector('[role="dialog"][aria-modal="true"]') !== null) return;
      const isClear = event.ctrlKey && !event.altKey && !event.metaKey && event.key === 'l';
      const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
      const isSpace = isPlain && event.key === ' ' && !takesSpace(event.target);
      if (!isClear && !isSpace) return;
      event.preventDefault();
      if (isClear) latest.current.onClear();
      else if (!event.repeat) latest.current.onSpace();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

function takesSpace(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('button, a, input, textarea, select, [contenteditable="true"]') !== null
  );
}
