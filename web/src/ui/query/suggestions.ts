/** The suggestions at a position in a query, from the server or the history. */
import type { CompleteOption } from '../../api/model';
import { formatCount } from '../number';

export type Suggestion = Omit<CompleteOption, 'kind'> & { kind: CompleteOption['kind'] | 'recent' };

/** `from` and `to` are the characters of the text that `insert` replaces. */
export type Suggestions = { from: number; to: number; options: readonly Suggestion[] };

/**
 * Null if there are no suggestions. Never fails: without an answer, the user simply continues to
 * type.
 */
export type Complete = (
  text: string,
  cursor: number,
  signal: AbortSignal,
) => Promise<Suggestions | null>;

/** The text to the right of a suggestion. */
export function detailOf(option: Suggestion): string {
  const parts = [
    option.kind === 'field' ? option.type : undefined,
    option.distinct === undefined ? undefined : `${formatCount(option.distinct)} values`,
    option.count === undefined ? undefined : formatCount(option.count),
    option.type === undefined || option.kind !== 'field' ? option.detail : undefined,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/**
 * The letter that stands for a kind of suggestion, for users who cannot distinguish the colours.
 */
export const signs: Readonly<Record<Suggestion['kind'], string>> = {
  field: 'F',
  value: '=',
  stage: '|',
  function: 'ƒ',
  keyword: '&',
  operator: '<',
  recent: '↺',
};
