/** Short statements about something that was just done, shown for a while over any page. */

export type ToastTone = 'good' | 'info' | 'caution' | 'error';

export type Toast = {
  tone: ToastTone;
  title: string;
  detail?: string;
  /** An action that undoes it or leads to it. It also dismisses the toast. */
  action?: { label: string; run: () => void };
};

export type ShownToast = Toast & { id: number };

/** The maximum number of toasts: more would cover the page, so the oldest ones are removed. */
const TOASTS_MAX = 4;
const READ_MS = 5_000;
const DECIDE_MS = 10_000;

let shown: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Returns its id, by which it can be dismissed when its action no longer applies. */
export function toast(added: Toast): number {
  lastId += 1;
  // A toast that repeats a visible one replaces it.
  const others = shown.filter(({ title, detail }) => !isSame({ title, detail }, added));
  set([...others, { ...added, id: lastId }].slice(-TOASTS_MAX));
  return lastId;
}

export function dismissToast(id: number): void {
  set(shown.filter((one) => one.id !== id));
}

export function dismissAllToasts(): void {
  set([]);
}

export function shownToasts(): readonly ShownToast[] {
  return shown;
}

export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The time for which it is shown; null until it is dismissed. Errors stay until they are read. */
export function staysMs({ tone, action }: Toast): number | null {
  if (tone === 'error') return null;
  return action === undefined ? READ_MS : DECIDE_MS;
}

type Words = { title: string; detail?: string | undefined };

function isSame(a: Words, b: Words): boolean {
  return a.title === b.title && a.detail === b.detail;
}

function set(next: readonly ShownToast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}
