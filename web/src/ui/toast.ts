/** Short statements about something that was just done, shown for a while over whatever page is there. */

export type ToastTone = 'good' | 'info' | 'caution' | 'error';

export type Toast = {
  tone: ToastTone;
  title: string;
  detail?: string;
  /** To take back what was done, or to go where it is. The toast goes away with it. */
  action?: { label: string; run: () => void };
};

export type ShownToast = Toast & { id: number };

/** More would cover the page; the oldest give way. */
const TOASTS_MAX = 4;
const READ_MS = 5_000;
const DECIDE_MS = 10_000;

let shown: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Returns its id, to dismiss it when its action no longer fits. */
export function toast(added: Toast): number {
  lastId += 1;
  // Said again while it is still there, it is not said twice.
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

/** The time it stays; null until it is dismissed. Errors wait for a reader. */
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
