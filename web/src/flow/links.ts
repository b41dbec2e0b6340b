/** Addresses with the details behind a number. */
import { address } from '../ui/open';
import { type TimeRange, writeRange } from '../ui/range';

/** A search for the stored messages of the range, in one logspace or in all. */
export function searchHref(query: string, range: TimeRange, logspace?: string): string {
  return address('/search', {
    q: query === '' ? '*' : query,
    ...(logspace !== undefined && { logspace }),
    ...writeRange(range),
  });
}

/** The messages that wait for a destination. */
export function queueHref(id: string): string {
  return address('/router', { view: 'list', queue: id });
}

/** The messages that a destination refused. */
export function quarantineHref(id: string): string {
  return address('/router', { view: 'list', quarantine: id });
}

/** The page on which routes are changed. */
export const routesHref = address('/router');

/** The counters of each source and destination, with its last error. */
export const countersHref = address('/router', { view: 'list' });

/** The senders with bytes that belong to no message. */
export const skippedHref = address('/senders');

/** The page on which something can be done about a loss. */
export function reasonHref(reason: string): string {
  return reason === 'no_route' ? routesHref : countersHref;
}
