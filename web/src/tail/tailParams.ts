/**
 * The whole state of the tail page. It is kept in the address bar, so that a tail can be shared and
 * reloaded.
 */
import {
  type ListView,
  type Tab,
  type View,
  initialColumns,
  initialFacets,
  tabs,
  views,
} from '../messages/messageState';
import { address } from '../ui/open';

export type TailState = Omit<ListView, 'split'> & {
  /** A query for each tail, from left to right: at least one, at most `TAILS_MAX`. */
  queries: readonly string[];
  /** The text of the clauses of each tail that are switched off for now. */
  off: readonly (readonly string[])[];
  /** Empty means all of them. */
  logspaces: readonly string[];
  /** The texts to mark in the messages, each in its own colour. */
  highlights: readonly string[];
};

export const TAILS_MAX = 4;
export const HIGHLIGHTS_MAX = 4;

const names = ['q', 'q2', 'q3', 'q4'] as const satisfies { length: typeof TAILS_MAX };

const offNames: Readonly<Record<(typeof names)[number], string>> = {
  q: 'off',
  q2: 'off2',
  q3: 'off3',
  q4: 'off4',
};

type Params = Record<string, string | undefined>;

/** Never fails: values that cannot be read are left out. */
export function readTail(params: Params): TailState {
  const panes = names.flatMap((name, at) => {
    const query = at === 0 ? (params[name] ?? '') : params[name];
    return query === undefined ? [] : [{ query, off: readParts(params[offNames[name]], '\n') }];
  });
  return {
    queries: panes.map(({ query }) => query),
    off: panes.map(({ off }) => off),
    logspaces: readParts(params['logspace'], ','),
    highlights: readParts(params['highlight'], '\n').slice(0, HIGHLIGHTS_MAX),
    view: views.find((view): view is View => view === params['view']) ?? 'lines',
    columns: readList(params['columns']) ?? initialColumns,
    facets: readList(params['facets']) ?? initialFacets,
    open: params['open'] ?? null,
    tab: tabs.find((tab): tab is Tab => tab === params['tab']) ?? 'fields',
  };
}

/** The shortest parameters that `readTail` reads as the same state. */
export function writeTail(state: TailState): Record<string, string> {
  const { queries, off, logspaces, highlights, view, columns, facets, open, tab } = state;
  const named = names.flatMap((name, at) => {
    const query = queries[at];
    return query === undefined || (at === 0 && query === '') ? [] : [[name, query] as const];
  });
  const switchedOff = names.flatMap((name, at) => {
    const clauses = off[at] ?? [];
    return clauses.length === 0 ? [] : [[offNames[name], clauses.join('\n')] as const];
  });
  return {
    ...Object.fromEntries([...named, ...switchedOff]),
    ...(logspaces.length > 0 && { logspace: logspaces.join(',') }),
    ...(highlights.length > 0 && { highlight: highlights.join('\n') }),
    ...(view !== 'lines' && { view }),
    ...(columns.join() !== initialColumns.join() && { columns: columns.join() }),
    ...(facets.join() !== initialFacets.join() && { facets: facets.join() }),
    ...(open !== null && { open }),
    ...(tab !== 'fields' && { tab }),
  };
}

/** The state with another highlight; the same state if it exists already or there are too many. */
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

/** Undefined if there is no parameter; an empty list if the parameter is empty. */
function readList(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : readParts(text, ',');
}

/** Addresses of Search that show what a tail showed. The stored messages that match. */
export function searchLink(query: string, logspaces: readonly string[]): string {
  return address('/search', {
    q: query === '' ? '*' : query,
    ...(logspaces.length > 0 && { logspace: logspaces.join(',') }),
    from: '-15m',
  });
}
