/** Splits a query into its filter and its stages. */
import { lex } from './lexer';

/** A `|` at the beginning of a word, outside of quotes and expressions, begins the first stage. */
export function splitStages(query: string): { filter: string; stages: string } {
  const pipe = lex(query).find(({ kind }) => kind === 'pipe');
  if (pipe === undefined) return { filter: query, stages: '' };
  return { filter: query.slice(0, pipe.start).trim(), stages: query.slice(pipe.start) };
}
