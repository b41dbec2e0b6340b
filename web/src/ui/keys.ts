/** The notation of keys, and the binding that a key press triggers. */

export type Binding = {
  /** Keys in the form `/`, `?`, `D` (with Shift), `Space`, `Mod-k` (Ctrl or Cmd), or `g s` (one after the other). */
  keys: string;
  /** The text in the help; an undescribed binding is not listed. */
  does: string | null;
  /** The heading in the help; empty for bindings of the current page. */
  group: string;
  /**
   * Null if the focused element handles the key itself, and the binding is only listed in the help.
   */
  run: (() => void) | null;
};

export type Press = {
  key: string;
  ctrl: boolean;
  meta: boolean;
  alt: boolean;
  /**
   * Some keyboards have `[` and `]` only with AltGr (or Option), which does not count as a modifier
   * then.
   */
  altGraph: boolean;
};

/** The names of a key press in bindings, the most specific first. */
export function namesOf({ key, ctrl, meta, alt, altGraph }: Press): string[] {
  const name = key === ' ' ? 'Space' : key;
  const writes = altGraph || (alt && !ctrl && !meta && /^[^\p{L}\p{N}\s]$/u.test(key));
  if (writes) return [name];
  if (alt) return [`Alt-${name}`];
  if (ctrl) return [`Ctrl-${name}`, `Mod-${name}`];
  if (meta) return [`Mod-${name}`];
  return [name];
}

/** A sequence takes precedence over a single key, and a later binding over an earlier one. */
export function findBinding(
  bindings: readonly Binding[],
  previous: string,
  names: readonly string[],
): Binding | undefined {
  const wanted = [...(previous === '' ? [] : names.map((name) => `${previous} ${name}`)), ...names];
  for (const keys of wanted) {
    const found = bindings.findLast((binding) => binding.keys === keys && binding.run !== null);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The key caps to show, one list for each press: `g s` is two presses, `Mod-k` one with two caps. */
export function capsOf(keys: string, isMac: boolean): string[][] {
  return keys.split(' ').map((press) => {
    const parts = press.length > 1 ? press.split('-') : [press];
    const key = parts.pop() ?? '';
    const caps = parts.map((modifier) => modifierCap(modifier, isMac));
    if (/^[A-Z]$/.test(key)) return [...caps, 'Shift', key];
    if (caps.length > 0 && key.length === 1) return [...caps, key.toUpperCase()];
    return [...caps, keyCap(key)];
  });
}

function modifierCap(modifier: string, isMac: boolean): string {
  if (modifier === 'Mod') return isMac ? '⌘' : 'Ctrl';
  if (modifier === 'Alt') return isMac ? '⌥' : 'Alt';
  return modifier;
}

function keyCap(key: string): string {
  const caps: Record<string, string> = {
    Escape: 'Esc',
    ArrowUp: '↑',
    ArrowDown: '↓',
    ArrowLeft: '←',
    ArrowRight: '→',
  };
  return caps[key] ?? key;
}
