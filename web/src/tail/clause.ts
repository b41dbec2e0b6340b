/** Adds what a click on a value means to the text of a query. */

/** The query with `field=value` (or its opposite) added; unchanged when it is there already. */
export function withClause(query: string, field: string, value: string, exclude: boolean): string {
  const clause = `${exclude ? '-' : ''}${field}=${quoted(value)}`;
  const base = query.trim();
  if (base === '' || base === '*') return clause;
  if (base === clause || base.endsWith(` ${clause}`)) return query;
  return `${needsParentheses(base) ? `(${base})` : base} ${clause}`;
}

/** A value that cannot be read as anything but itself stands alone; all others are quoted. */
function quoted(value: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(value)) return value;
  return `"${value.replaceAll(/["\\]/gu, '\\$&')}"`;
}

/** AND binds tighter than OR, so an OR outside of quotes must be held together first. */
function needsParentheses(query: string): boolean {
  return /(^|\s)(or|\|\|)(\s|$)/iu.test(query.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '""'));
}
