/** Addresses of messages. */

/** The message alone, found whatever the range of the search was. */
export function permalink(id: string): string {
  return `/search?${new URLSearchParams({ from: 'all', open: id }).toString()}`;
}

/**
 * The router page, with what is to be done there: a route for a query, a step that drops what is
 * like a message, a message to trace.
 */
export function routerHref(
  params: { route: string } | { mute: string; of: string } | { trace: string } | { item: string },
): string {
  return `/router?${new URLSearchParams(params).toString()}`;
}
