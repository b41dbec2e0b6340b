/**
 * Keyboard shortcuts, which are off while the user types or a dialog is open. The help lists every
 * binding.
 */
import { useEffect, useRef } from 'react';
import { type Binding, findBinding, namesOf } from './keys';

/**
 * A binding with a description is listed in the help; without `run` it is only listed, because the
 * focused element handles the key itself.
 */
export type KeyBinding = { does: string; run?: () => void };
/**
 * Keys in the form of `/`, `?`, `D`, `Space`, `Mod-k` or `g s` (one after the other, within a
 * second).
 */
export type KeyBindings = Record<string, KeyBinding | (() => void)>;

const SEQUENCE_WAIT_MAX_MS = 1000;

type Holder = { current: readonly Binding[] };
const holders = new Set<Holder>();
let previous = { key: '', at: 0 };

/** `group` is the heading in the help; by default the keys belong to the current page. */
export function useKeys(bindings: KeyBindings, group = ''): void {
  useBindings(
    Object.entries(bindings).map(([keys, binding]) =>
      typeof binding === 'function'
        ? { keys, does: null, group, run: binding }
        : { keys, does: binding.does, group, run: binding.run ?? null },
    ),
  );
}

export function useBindings(bindings: readonly Binding[]): void {
  const holder = useRef(bindings);
  useEffect(() => {
    holder.current = bindings;
  });
  useEffect(() => {
    if (holders.size === 0) window.addEventListener('keydown', onKeyDown);
    holders.add(holder);
    return () => {
      holders.delete(holder);
      if (holders.size === 0) window.removeEventListener('keydown', onKeyDown);
    };
  }, []);
}

/** All current bindings. */
export function boundKeys(): Binding[] {
  return [...holders].flatMap(({ current }) => current);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isDialogOpen()) return;
  const names = namesOf({
    key: event.key,
    ctrl: event.ctrlKey,
    meta: event.metaKey,
    alt: event.altKey,
    altGraph: event.getModifierState('AltGraph'),
  });
  const recent = event.timeStamp - previous.at < SEQUENCE_WAIT_MAX_MS ? previous.key : '';
  const binding = findBinding(boundKeys(), recent, names);
  if (belongsToFocus(event, binding?.keys ?? '')) return;
  // The second key of a sequence does not begin another one.
  previous = { key: binding === undefined ? event.key : '', at: event.timeStamp };
  if (binding?.run == null) return;
  event.preventDefault();
  binding.run();
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}

const WRITTEN_IN = 'input, textarea, select, [contenteditable="true"], [role="menu"]';
const PRESSED = 'button, a, summary, [role="option"], [role="tab"], [role="switch"]';

/**
 * Whether the focused element uses the key: a field uses letters, a button uses Space and Enter.
 */
function belongsToFocus({ key, target }: KeyboardEvent, keys: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest(WRITTEN_IN) !== null) return !/^(Mod|Ctrl|Alt)-/.test(keys);
  return (key === ' ' || key === 'Enter') && target.closest(PRESSED) !== null;
}
