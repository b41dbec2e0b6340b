/** Addresses of Search that show what a tail showed. */

/** The stored messages that match. */
export function searchLink(query: string, logspaces: readonly string[]): string {
  const params = new URLSearchParams({
    q: query === '' ? '*' : query,
    ...(logspaces.length > 0 && { logspace: logspaces.join(',') }),
    from: '-15m',
  });
  return `/search?${params.toString()}`;
}
