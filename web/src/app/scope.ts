/** The part of an address that selects messages, and how much of it is carried over from page to page. */
import type { TimeRange } from '../ui/range';
import { isSameRange } from '../ui/range';

type Params = Record<string, unknown>;

const SCOPE = ['from', 'to', 'logspace'] as const;
const ASKED = [...SCOPE, 'q', 'off'] as const;

/** The parameters that another page keeps: the scope, and between pages that have a query, the query too. */
export function carried(params: Params, withQuery: boolean): Record<string, string> {
  const names: readonly string[] = withQuery ? ASKED : SCOPE;
  return Object.fromEntries(
    Object.entries(params).filter(
      (entry): entry is [string, string] =>
        names.includes(entry[0]) && typeof entry[1] === 'string',
    ),
  );
}

/** Ranges to go back to, the oldest first; the last one is the one that is shown. */
export type Trail = readonly TimeRange[];

const TRAIL_MAX = 50;

/** Going back one step, whichever way, shortens the trail; anything else makes it longer. */
export function walked(trail: Trail, range: TimeRange): Trail {
  const shown = trail.at(-1);
  if (shown !== undefined && isSameRange(shown, range)) return trail;
  const before = trail.at(-2);
  if (before !== undefined && isSameRange(before, range)) return trail.slice(0, -1);
  return [...trail, range].slice(-TRAIL_MAX);
}

export function canGoBack(trail: Trail): boolean {
  return trail.length > 1;
}
