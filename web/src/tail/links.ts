/** Addresses of Search that show what a tail showed. */
import { address } from '../ui/open';

/** The stored messages that match. */
export function searchLink(query: string, logspaces: readonly string[]): string {
  return address('/search', {
    q: query === '' ? '*' : query,
    ...(logspaces.length > 0 && { logspace: logspaces.join(',') }),
    from: '-15m',
  });
}
