/** Addresses of messages and the queries that a click in a row asks for. */

/** The message by itself, findable whatever the range of the search was. */
export function permalink(id: string): string {
  return `/search?${new URLSearchParams({ from: 'all', open: id }).toString()}`;
}

/** The most frequent values of a field among what the filter finds. */
export function topQuery(filter: string, field: string): string {
  const name =
    /^[\p{L}_][\p{L}\p{N}_.@-]*$/u.test(field) && !RESERVED.has(field) ? field : `"${field}"`;
  return `${filter.trim() === '' ? '*' : filter.trim()} | top 20 ${name}`;
}

/** Words of the stages themselves. */
const RESERVED: ReadonlySet<string> = new Set(['by', 'as', 'from', 'asc', 'desc', 'limit']);
