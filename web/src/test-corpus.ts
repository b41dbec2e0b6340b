/** Cases of the grammar that the server's tests read as well. */
import corpus from '../../crates/query/tests/grammar.json';
import type { QueryTerm } from './api/model';
import type { TokenKind } from './ui/query/lexer';

type Corpus = {
  tokens: readonly { text: string; tokens: readonly (readonly [string, TokenKind])[] }[];
  terms: readonly { text: string; terms: readonly QueryTerm[] }[];
};

export const grammar = corpus as unknown as Corpus;

/** The terms that a query looks for, by the server. */
export function termsOf(query: string): readonly QueryTerm[] {
  const found = grammar.terms.find(({ text }) => text === query);
  if (found === undefined) throw new Error(`add the terms of ${query} to grammar.json`);
  return found.terms;
}
