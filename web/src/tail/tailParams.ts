/** The tail page's whole state. It lives in the address bar, so that what one watches can be shared and reloaded. */

export type TailState = {
  /** One for each tail, from left to right: at least one, at most `TAILS_MAX`. */
  queries: readonly string[];
  /** Empty means all of them. */
  logspaces: readonly string[];
  /** Texts to mark in the messages, each in a colour of its own. */
  highlights: readonly string[];
};

export const TAILS_MAX = 4;
export const HIGHLIGHTS_MAX = 4;

const names = ['q', 'q2', 'q3', 'q4'] as const satisfies { length: typeof TAILS_MAX };

type Params = Record<string, string | undefined>;

/** Never fails: what cannot be read is left out. */
export function readTail(params: Params): TailState {
  const [first = '', ...others] = names.map((name) => params[name]);
  return {
    queries: [first, ...others.filter((query) => query !== undefined)],
    logspaces: readParts(params['logspace'], ','),
    highlights: readParts(params['highlight'], '\n').slice(0, HIGHLIGHTS_MAX),
  };
}

/** The shortest parameters that `readTail` reads as the same state. */
export function writeTail({ queries, logspaces, highlights }: TailState): Record<string, string> {
  const named = names.flatMap((name, at) => {
    const query = queries[at];
    return query === undefined || (at === 0 && query === '') ? [] : [[name, query] as const];
  });
  return {
    ...Object.fromEntries(named),
    ...(logspaces.length > 0 && { logspace: logspaces.join(',') }),
    ...(highlights.length > 0 && { highlight: highlights.join('\n') }),
  };
}

/** The state with another highlight; the same state when it is there already or there are too many. */
export function withHighlight(state: TailState, text: string): TailState {
  const highlight = text.trim();
  const { highlights } = state;
  const isKnown = highlights.some((known) => known.toLowerCase() === highlight.toLowerCase());
  if (highlight === '' || isKnown || highlights.length >= HIGHLIGHTS_MAX) return state;
  return { ...state, highlights: [...highlights, highlight] };
}

function readParts(text: string | undefined, separator: string): string[] {
  return [...new Set((text ?? '').split(separator).filter((part) => part.trim() !== ''))];
}
