/** Where the filter of a query ends and its stages begin. */

/** A `|` at the beginning of a word, outside of quotes and expressions, begins the first stage. */
export function splitStages(query: string): { filter: string; stages: string } {
  const at = stagesAt(query);
  if (at === -1) return { filter: query, stages: '' };
  return { filter: query.slice(0, at).trim(), stages: query.slice(at) };
}

const SKIPPED = /"(?:[^"\\]|\\.)*"?|(?<=^|[\s(:~])\/(?:[^/\\\n]|\\.)+\/|(?<=^|\s)\|(?!\|)/gu;

function stagesAt(query: string): number {
  for (const match of query.matchAll(SKIPPED)) if (match[0] === '|') return match.index;
  return -1;
}
