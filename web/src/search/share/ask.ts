/** A search as requests of the API say it. */
import { type RequestRange, requestRange } from '../../ui/range';
import { splitStages } from '../../ui/query/lexer';
import type { SearchState } from '../searchParams';

type Asked = { query: string; logspaces?: string[] } & RequestRange;

/** `part` is the whole query, or the filter without its stages where the request takes none. */
export function askOf(state: SearchState, part: 'whole' | 'filter'): Asked {
  return {
    query: part === 'whole' ? state.query : splitStages(state.query).filter,
    ...requestRange(state.range),
    ...(state.logspaces.length > 0 && { logspaces: [...state.logspaces] }),
  };
}

/** The part of an address behind the `?`. */
export function paramsOf({ logspaces, ...others }: Asked): [string, string][] {
  const list = logspaces === undefined ? [] : [['logspaces', logspaces.join(',')] as const];
  return [...Object.entries(others), ...list].map(([name, value]) => [name, value]);
}

export function hasStages(state: SearchState): boolean {
  return splitStages(state.query).stages !== '';
}
