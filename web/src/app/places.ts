/** The pages, in the order of the rail. */
import {
  IconActivity,
  IconArrowsSplit2,
  IconDatabase,
  IconRoute,
  IconSearch,
  IconShieldLock,
  IconTransferIn,
} from '@tabler/icons-react';

export const places = [
  { to: '/search', label: 'Search', short: 'Search', keys: 'g s', Icon: IconSearch },
  { to: '/tail', label: 'Tail', short: 'Tail', keys: 'g t', Icon: IconActivity },
  { to: '/router', label: 'Router', short: 'Router', keys: 'g r', Icon: IconRoute },
  { to: '/flow', label: 'Flow', short: 'Flow', keys: 'g f', Icon: IconArrowsSplit2 },
  { to: '/send', label: 'Send logs', short: 'Send', keys: 'g l', Icon: IconTransferIn },
  { to: '/logspaces', label: 'Logspaces', short: 'Spaces', keys: 'g p', Icon: IconDatabase },
  { to: '/admin', label: 'Admin', short: 'Admin', keys: 'g d', Icon: IconShieldLock },
] as const;

export type Place = (typeof places)[number];

/** Those that a role has something to do on. */
export function placesFor(role: string): Place[] {
  return places.filter(({ to }) => to !== '/admin' || role === 'admin');
}

/** Between these the query goes along. */
export function hasQuery({ to }: Place): boolean {
  return to === '/search' || to === '/tail';
}
