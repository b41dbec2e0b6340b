/**
 * The preferences that follow a user from browser to browser. All of them are in the browser's store, where the parts
 * of the console read them. Drafts, histories and whatever depends on a screen stay in the browser.
 */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Preferences, keepPreferences, preferencesQuery } from '../api/session';

const NAMES = [
  'mantine-color-scheme-value',
  'logstead-zone',
  'logstead-density',
  'logstead-fold',
  'logstead-line-columns',
  'logstead-pinned-fields',
  'logstead-live',
  'logstead-timeline',
  'logstead-before',
  'logstead-raw-form',
  'logstead-tail-wrap',
];
/** Maximum length of a value: no choice is longer, and the server keeps 16 KiB in all. */
const CHARACTERS_MAX = 1000;

/** The preferences of this browser. */
export function readPreferences(store: Storage): Preferences {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = store.getItem(name);
      return value === null || value.length > CHARACTERS_MAX ? [] : [[name, value] as const];
    }),
  );
}

/**
 * Applies the preferences kept by the server to this browser; those that the server does not have
 * stay unchanged.
 */
export function applyPreferences(kept: Preferences, store: Storage): void {
  for (const name of NAMES) {
    const newValue = kept[name];
    const oldValue = store.getItem(name);
    if (newValue === undefined || newValue === oldValue) continue;
    store.setItem(name, newValue);
    // The same event as from another tab, to which the readers of the storage listen.
    window.dispatchEvent(
      new StorageEvent('storage', { key: name, oldValue, newValue, storageArea: store }),
    );
  }
}

export function isSame(a: Preferences, b: Preferences): boolean {
  return NAMES.every((name) => a[name] === b[name]);
}

/** The interval at which changed preferences are looked for. */
const LOOK_MS = 1_000;

/** Keeps a user's preferences the same in every browser. */
export function usePreferences(): void {
  const { data: kept } = useQuery(preferencesQuery);
  useEffect(() => {
    if (kept === undefined) return;
    applyPreferences(kept, localStorage);
    let told = kept;
    const look = () => {
      const chosen = readPreferences(localStorage);
      if (isSame(chosen, told)) return;
      told = chosen;
      // A preference that cannot be saved now is saved with the next one; this browser keeps it in any case.
      keepPreferences(chosen).catch(() => undefined);
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [kept]);
}
