/** The part of an address that selects messages, and which of it is kept from page to page. */
import type { TimeRange } from '../ui/range';
import { isSameRange } from '../ui/range';

type Params = Record<string, unknown>;

const SCOPE = ['from', 'to', 'logspace'] as const;
const ASKED = [...SCOPE, 'q', 'off'] as const;

/**
 * The parameters that another page keeps: the scope and, between pages that have a query, also the
 * query.
 */
export function carried(params: Params, withQuery: boolean): Record<string, string> {
  const names: readonly string[] = withQuery ? ASKED : SCOPE;
  return Object.fromEntries(
    Object.entries(params).filter(
      (entry): entry is [string, string] =>
        names.includes(entry[0]) && typeof entry[1] === 'string',
    ),
  );
}

/** Ranges to go back to, oldest first; the last one is the current one. */
export type Trail = readonly TimeRange[];

const TRAIL_MAX = 50;

/** Going back one step, however it is done, shortens the trail; anything else extends it. */
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
