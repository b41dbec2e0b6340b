import { expect, test } from 'vitest';
import { grammar } from '../../test-corpus';
import { lex, splitStages } from './lexer';

test.each(grammar.tokens)('$text has the colours that the server gives it', ({ text, tokens }) => {
  const found = lex(text).map(({ kind, start, end }) => [text.slice(start, end), kind]);
  expect(found).toEqual(tokens);
});

test('tokens never overlap and always come to an end', () => {
  const pieces = ['"', '/', '|', ' ', '(', ')', ':', '=', 'a', '1', '*', '-', '[', '\\', '\n', ','];
  let seed = 7;
  for (let round = 0; round < 2000; round += 1) {
    let query = '';
    for (let at = 0; at < 12; at += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      query += pieces[Math.floor(seed / 65_536) % pieces.length] ?? '';
    }
    let end = 0;
    for (const token of lex(query)) {
      expect(token.start, query).toBeGreaterThanOrEqual(end);
      expect(query.slice(end, token.start).trim(), query).toBe('');
      expect(token.end, query).toBeGreaterThan(token.start);
      end = token.end;
    }
    expect(query.slice(end).trim(), query).toBe('');
  }
});

test('the first stage begins at a pipe outside of quotes and expressions', () => {
  const cuts = (query: string, filter: string, stages: string) =>
    expect(splitStages(query)).toEqual({ filter, stages });
  cuts('a b', 'a b', '');
  cuts('a | top 5 host', 'a', '| top 5 host');
  cuts('"a | b" c|d', '"a | b" c|d', '');
  cuts('/a | b/ | stats count()', '/a | b/', '| stats count()');
  cuts('a || b', 'a || b', '');
  cuts('| top 5 host', '', '| top 5 host');
});
