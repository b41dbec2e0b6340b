/**
 * A choice of the reader, kept in this browser and the same in every part of the page and in every tab. It is there
 * when something is drawn first, and nothing is written that was not chosen.
 */
import { useCallback, useMemo, useSyncExternalStore } from 'react';

type Kept<Value> = {
  key: string;
  defaultValue: Value;
  /** Parses the stored text, which other programs may have written. */
  deserialize?: (text: string) => Value;
};

type Change<Value> = Value | ((before: Value) => Value);

const listeners = new Set<() => void>();
/**
 * If the browser cannot store a value, because it may not or has no room, the value is kept until
 * the page is closed.
 */
const unkept = new Map<string, string>();

export function useBrowserState<Value>(
  kept: Kept<Value>,
): readonly [Value, (change: Change<Value>) => void] {
  const { key, defaultValue, deserialize } = kept;
  const text = useSyncExternalStore(listen, () => textOf(key));
  // The default and the reader may be new objects each time, and mean the same: only another text is another value.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const value = useMemo(() => read(text, defaultValue, deserialize), [text]);
  const set = useCallback(
    (change: Change<Value>) => {
      const before = () => read(textOf(key), defaultValue, deserialize);
      write(key, JSON.stringify(change instanceof Function ? change(before()) : change));
    },
    // The function stays the same as long as the key does.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [key],
  );
  return [value, set];
}

function read<Value>(
  text: string | null,
  otherwise: Value,
  deserialize: (text: string) => Value = (json) => JSON.parse(json) as Value,
): Value {
  if (text === null) return otherwise;
  try {
    return deserialize(text);
  } catch {
    return otherwise;
  }
}

function textOf(key: string): string | null {
  try {
    return unkept.get(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
    unkept.delete(key);
  } catch {
    unkept.set(key, text);
  }
  tell();
}

function listen(listener: () => void): () => void {
  // The event is sent by other tabs, and for settings that follow the user from browser to browser.
  if (listeners.size === 0) window.addEventListener('storage', tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', tell);
  };
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}
