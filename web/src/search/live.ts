/** Whether results follow new messages: as the user last chose, and not before they chose it. */
import type { Refresh } from './searchParams';

const KEY = 'logstead-live';

export function preferredRefresh(): Refresh {
  return localStorage.getItem(KEY) === 'live' ? 'live' : 'off';
}

export function rememberRefresh(refresh: Refresh): void {
  localStorage.setItem(KEY, refresh === 'off' ? 'off' : 'live');
}
