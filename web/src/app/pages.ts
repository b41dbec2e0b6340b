/** The pages, in the order of the rail. */
import {
  IconActivity,
  IconAddressBook,
  IconArrowsSplit2,
  IconDatabase,
  IconLayoutDashboard,
  IconRoute,
  IconSearch,
  IconShieldLock,
  IconTransferIn,
} from '@tabler/icons-react';
import { type User, seesAll } from '../api/session';
import { carried } from './scope';

export const pages = [
  { to: '/overview', label: 'Overview', short: 'Overview', keys: 'g o', Icon: IconLayoutDashboard },
  { to: '/search', label: 'Search', short: 'Search', keys: 'g s', Icon: IconSearch },
  { to: '/tail', label: 'Tail', short: 'Tail', keys: 'g t', Icon: IconActivity },
  { to: '/senders', label: 'Senders', short: 'Senders', keys: 'g e', Icon: IconAddressBook },
  { to: '/router', label: 'Router', short: 'Router', keys: 'g r', Icon: IconRoute },
  { to: '/flow', label: 'Flow', short: 'Flow', keys: 'g f', Icon: IconArrowsSplit2 },
  { to: '/send', label: 'Send logs', short: 'Send', keys: 'g l', Icon: IconTransferIn },
  { to: '/logspaces', label: 'Logspaces', short: 'Spaces', keys: 'g p', Icon: IconDatabase },
  { to: '/admin', label: 'Admin', short: 'Admin', keys: 'g d', Icon: IconShieldLock },
] as const;

export type Page = (typeof pages)[number];

/** The page that a user begins with: operators first see whether all is well. */
export function firstPage(user: User | null | undefined): '/overview' | '/search' {
  const isOperator = user?.role === 'admin' || user?.role === 'operator';
  return isOperator && seesAll(user) ? '/overview' : '/search';
}

/** Those that a user has something to do on. */
export function pagesFor(user: User): Page[] {
  const ofAll: readonly string[] = ['/overview', '/senders', '/router', '/flow'];
  return pages.filter(
    ({ to }) =>
      (seesAll(user) || !ofAll.includes(to)) && (to !== '/admin' || user.role === 'admin'),
  );
}

/** With their names side by side; one more is the way to all others. */
const PHONE_MAX = 4;

/** Those that the foot of a phone has room for. */
export function shownOnPhones(places: readonly Page[]): readonly Page[] {
  return places.length <= PHONE_MAX + 1 ? places : places.slice(0, PHONE_MAX);
}

/** Whether an address is the page, or a part of it. */
export function leadsTo({ to }: Page, pathname: string): boolean {
  return `${pathname}/`.startsWith(`${to}/`);
}

/** The part of the address that is carried over to a page: between Search and Tail also the query. */
export function carriedTo({ to }: Page): typeof carriedScope {
  return to === '/search' || to === '/tail' ? carriedQuery : carriedScope;
}

/** The same functions each time: only the links that lead elsewhere then are drawn again. */
export const carriedScope = (params: Record<string, unknown>) => carried(params, false);
const carriedQuery = (params: Record<string, unknown>) => carried(params, true);
