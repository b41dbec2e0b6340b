/**
 * Fuzzy matching of a few typed letters: they must all occur in this order, and starts of words
 * count most.
 */

export type Match = {
  score: number;
  /** The positions of the letters, in ascending order. */
  at: readonly number[];
};

const WORD_START = 8;
const NEIGHBOUR = 6;
const FIRST = 4;

/** The match; null if a letter is missing. Spaces separate words that may occur in any order. */
export function fuzzyMatch(typed: string, text: string): Match | null {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.map((word) => matchWord(word, text));
  if (found.some((match) => match === null)) return null;
  const at = found.flatMap((match) => match?.at ?? []);
  const score = found.reduce((sum, match) => sum + (match?.score ?? 0), 0);
  return { score, at: [...new Set(at)].sort((a, b) => a - b) };
}

/** The matching items, the best first; equal matches keep their order. */
export function rank<Item>(
  typed: string,
  items: readonly Item[],
  textOf: (item: Item) => string,
): { item: Item; match: Match }[] {
  return items
    .flatMap((item) => {
      const match = fuzzyMatch(typed, textOf(item));
      return match === null ? [] : [{ item, match }];
    })
    .sort((a, b) => b.match.score - a.match.score);
}

/** The best of the greedy matches that start at each occurrence of the first letter. */
function matchWord(word: string, text: string): Match | null {
  const lower = text.toLowerCase();
  let best: Match | null = null;
  for (let start = lower.indexOf(word.charAt(0)); start >= 0;) {
    const match = matchFrom(word, lower, text, start);
    // If there is no match from here, there is none further on.
    if (match === null) break;
    if (best === null || match.score > best.score) best = match;
    start = lower.indexOf(word.charAt(0), start + 1);
  }
  return best;
}

function matchFrom(word: string, lower: string, text: string, start: number): Match | null {
  const at: number[] = [];
  let score = 0;
  for (let from = start, n = 0; n < word.length; n += 1) {
    const found = lower.indexOf(word.charAt(n), from);
    if (found < 0) return null;
    const isNeighbour = n > 0 && found === from;
    score += (isNeighbour ? NEIGHBOUR : 0) + (isWordStart(text, found) ? WORD_START : 0);
    // Letters that are far apart are unlikely to be what was meant.
    if (n > 0) score -= Math.min(found - from, 5);
    at.push(found);
    from = found + 1;
  }
  return { score: score + (start === 0 ? FIRST : 0), at };
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1));
}
