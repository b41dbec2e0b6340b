/** Addresses of messages. */
import { address } from '../ui/open';

/** The message alone, found whatever the range of the search was. */
export function permalink(id: string): string {
  return address('/search', { from: 'all', open: id });
}

/**
 * The router page, with what is to be done there: a route for a query, a step that drops what is
 * like a message, a message to trace.
 */
export function routerHref(
  params: { route: string } | { mute: string; of: string } | { trace: string } | { item: string },
): string {
  return address('/router', params);
}
