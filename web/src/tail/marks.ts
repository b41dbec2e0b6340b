/**
 * The hits to mark in the lines: the user's texts, each in its own colour, and those of the query.
 */
import type { Hits } from '../ui/highlight';

const HIT_COLOR = 0;

/**
 * Colour 0 is that of all hits of the query; the user's texts have 1, 2 and so on, and take
 * precedence.
 */
export function marksFor(hits: Hits, highlights: readonly string[]): Hits {
  const wanted = highlights.map((text, at) => ({
    field: null,
    pattern: new RegExp(escaped(text), 'giu'),
    color: at + 1,
  }));
  return [...wanted, ...hits.map((term) => ({ ...term, color: HIT_COLOR }))];
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
