/** Addresses of messages. */

/** The message alone, found whatever the range of the search was. */
export function permalink(id: string): string {
  return `/search?${new URLSearchParams({ from: 'all', open: id }).toString()}`;
}
