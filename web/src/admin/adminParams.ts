/** The state of the page, kept in the address bar. It never holds a secret. */
import { type TimeRange, readRange, writeRange } from '../ui/range';

export const tabs = [
  'accounts',
  'sessions',
  'audit',
  'settings',
  'certificates',
  'server',
] as const;
export type Tab = (typeof tabs)[number];

/** The open panel beside the tables. */
export type Panel =
  | { kind: 'none' }
  | { kind: 'new-user' }
  | { kind: 'new-token' }
  | { kind: 'user'; name: string }
  | { kind: 'token'; id: number };

export type SortKey = 'name' | 'role' | 'used' | 'expires';
export type Sort = { key: SortKey; descending: boolean };

export type AdminState = {
  tab: Tab;
  panel: Panel;
  /** The filter of the tables' rows. */
  find: string;
  sort: Sort;
  /** Whether only settings that differ from their defaults are shown. */
  changed: boolean;
  /** The query and the range of the audit log. */
  query: string;
  range: TimeRange;
};

type Params = Record<string, string | undefined>;

const SORT_KEYS: readonly SortKey[] = ['name', 'role', 'used', 'expires'];
export const initialSort: Sort = { key: 'name', descending: false };

/** An audit usually covers days. */
export const auditRange: TimeRange = { kind: 'last', span: '7d' };

export function readAdmin(params: Params): AdminState {
  const { from, to } = params;
  return {
    tab: tabs.find((tab) => tab === params['tab']) ?? 'accounts',
    panel: readPanel(params),
    find: params['find'] ?? '',
    sort: readSort(params['sort'] ?? ''),
    changed: params['changed'] === 'yes',
    query: params['q'] ?? '',
    range: readRange(from, to),
  };
}

/** The shortest parameters from which `readAdmin` reads the same state. */
export function writeAdmin(state: AdminState): Record<string, string> {
  const { tab, panel, find, sort, changed, query, range } = state;
  return {
    ...writeRange(range),
    ...(tab !== 'accounts' && { tab }),
    ...writePanel(panel),
    ...(find !== '' && { find }),
    ...(!isSame(sort, initialSort) && { sort: `${sort.descending ? '-' : ''}${sort.key}` }),
    ...(changed && { changed: 'yes' }),
    ...(query !== '' && { q: query }),
  };
}

/** Sorting by the current column again reverses the order. */
export function sortedBy(sort: Sort, key: SortKey): Sort {
  return { key, descending: sort.key === key && !sort.descending };
}

function readPanel(params: Params): Panel {
  const { user, token, new: made } = params;
  if (made === 'user') return { kind: 'new-user' };
  if (made === 'token') return { kind: 'new-token' };
  if (user !== undefined) return { kind: 'user', name: user };
  if (/^\d+$/.test(token ?? '')) return { kind: 'token', id: Number(token) };
  return { kind: 'none' };
}

function writePanel(panel: Panel): Record<string, string> {
  switch (panel.kind) {
    case 'none':
      return {};
    case 'new-user':
      return { new: 'user' };
    case 'new-token':
      return { new: 'token' };
    case 'user':
      return { user: panel.name };
    case 'token':
      return { token: String(panel.id) };
  }
}

function readSort(text: string): Sort {
  const key = SORT_KEYS.find((one) => one === text.replace(/^-/, ''));
  return key === undefined ? initialSort : { key, descending: text.startsWith('-') };
}

function isSame(a: Sort, b: Sort): boolean {
  return a.key === b.key && a.descending === b.descending;
}
