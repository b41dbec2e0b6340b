/** Whether results follow what comes in: as the reader chose last, and not before they did. */
import type { Refresh } from './searchParams';

const KEY = 'logstead-live';

export function preferredRefresh(): Refresh {
  return localStorage.getItem(KEY) === 'live' ? 'live' : 'off';
}

export function rememberRefresh(refresh: Refresh): void {
  localStorage.setItem(KEY, refresh === 'off' ? 'off' : 'live');
}
