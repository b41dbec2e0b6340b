/** Keyboard shortcuts of one or two keys, silent while the user types or a dialog is open. */
import { useEffect, useRef } from 'react';

/** Keys as in `/`, `?` or `g s` (one after the other, within a second). */
export type KeyBindings = Record<string, () => void>;

const SEQUENCE_WAIT_MAX_MS = 1000;

export function useKeys(bindings: KeyBindings): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    let previous = { key: '', at: 0 };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
      const recent = event.timeStamp - previous.at < SEQUENCE_WAIT_MAX_MS ? previous.key : '';
      const action = latest.current[`${recent} ${event.key}`] ?? latest.current[event.key];
      previous = { key: event.key, at: event.timeStamp };
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"][aria-modal="true"]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable="true"]') !== null
  );
}
