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

/** The start page of a user: operators first see whether all is well. */
export function firstPage(user: User | null | undefined): '/overview' | '/search' {
  const isOperator = user?.role === 'admin' || user?.role === 'operator';
  return isOperator && seesAll(user) ? '/overview' : '/search';
}

/** The pages that are useful to a user. */
export function pagesFor(user: User): Page[] {
  const ofAll: readonly string[] = ['/overview', '/senders', '/router', '/flow'];
  return pages.filter(
    ({ to }) =>
      (seesAll(user) || !ofAll.includes(to)) && (to !== '/admin' || user.role === 'admin'),
  );
}

/**
 * Maximum number of pages side by side with their names; one more place is the menu with all
 * others.
 */
const PHONE_MAX = 4;

/** The pages for which the bottom bar on phones has room. */
export function shownOnPhones(places: readonly Page[]): readonly Page[] {
  return places.length <= PHONE_MAX + 1 ? places : places.slice(0, PHONE_MAX);
}

/** Whether an address is that of the page or of a part of it. */
export function leadsTo({ to }: Page, pathname: string): boolean {
  return `${pathname}/`.startsWith(`${to}/`);
}

/**
 * The part of the address that is kept when going to a page; between Search and Tail this includes
 * the query.
 */
export function carriedTo({ to }: Page): typeof carriedScope {
  return to === '/search' || to === '/tail' ? carriedQuery : carriedScope;
}

/** The functions are stable, so that only links whose address changes are rendered again. */
export const carriedScope = (params: Record<string, unknown>) => carried(params, false);
const carriedQuery = (params: Record<string, unknown>) => carried(params, true);
