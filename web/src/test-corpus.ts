/** Test cases of the grammar, which are shared with the server's tests. */
import corpus from '../../crates/query/tests/grammar.json';
import type { QueryTerm } from './api/model';
import type { TokenKind } from './ui/query/lexer';

type Corpus = {
  tokens: readonly { text: string; tokens: readonly (readonly [string, TokenKind])[] }[];
  terms: readonly { text: string; terms: readonly QueryTerm[] }[];
};

export const grammar = corpus as unknown as Corpus;

/** The terms that a query searches for, according to the server. */
export function termsOf(query: string): readonly QueryTerm[] {
  const found = grammar.terms.find(({ text }) => text === query);
  if (found === undefined) throw new Error(`add the terms of ${query} to grammar.json`);
  return found.terms;
}
