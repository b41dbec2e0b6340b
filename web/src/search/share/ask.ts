/** A search in the form of API requests. */
import { type RequestRange, requestRange } from '../../ui/range';
import { splitStages } from '../../ui/query/lexer';
import type { SearchState } from '../searchParams';

type Asked = { query: string; logspaces?: string[] } & RequestRange;

/** `part` is the whole query, or the filter without stages if the request does not accept them. */
export function askOf(state: SearchState, part: 'whole' | 'filter'): Asked {
  return {
    query: part === 'whole' ? state.query : splitStages(state.query).filter,
    ...requestRange(state.range),
    ...(state.logspaces.length > 0 && { logspaces: [...state.logspaces] }),
  };
}

/** The part of an address after the `?`. */
export function paramsOf({ logspaces, ...others }: Asked): [string, string][] {
  const list = logspaces === undefined ? [] : [['logspaces', logspaces.join(',')] as const];
  return [...Object.entries(others), ...list].map(([name, value]) => [name, value]);
}

export function hasStages(state: SearchState): boolean {
  return splitStages(state.query).stages !== '';
}
