import { expect, test } from 'vitest';
import { withClause, withNegated, withOnly, withPart, withoutPart } from './edit';

test('a value is included or excluded', () => {
  expect(withClause('', 'host', 'web-1', false)).toBe('host=web-1');
  expect(withClause('*', 'host', 'web-1', true)).toBe('-host=web-1');
  expect(withClause('failed', 'host', 'web-1', false)).toBe('failed host=web-1');
});

test('a value is quoted where it could be read as syntax', () => {
  expect(withClause('', 'path', '/a b', false)).toBe('path="/a b"');
  expect(withClause('', 'name', 'say "hi" \\o/', false)).toBe('name="say \\"hi\\" \\\\o/"');
  expect(withClause('', 'pid', '', false)).toBe('pid=""');
  expect(withClause('', 'word', '-x', false)).toBe('word="-x"');
});

test('an OR keeps its meaning', () => {
  expect(withClause('a or b', 'host', 'x', false)).toBe('(a or b) host=x');
  expect(withClause('"a or b"', 'host', 'x', false)).toBe('"a or b" host=x');
});

test('the same click twice changes nothing', () => {
  const once = withClause('a', 'host', 'x', false);
  expect(withClause(once, 'host', 'x', false)).toBe(once);
});

test('a clause stands before the stages', () => {
  expect(withClause('a | top 5 host', 'host', 'x', false)).toBe('a host=x | top 5 host');
  expect(withClause('| top 5 host', 'host', 'x', false)).toBe('host=x | top 5 host');
  expect(withOnly('a b | top 5 host', 'c')).toBe('c | top 5 host');
});

test('an OR in parentheses needs no more of them', () => {
  expect(withClause('(a or (b or c)) d', 'host', 'x', false)).toBe('(a or (b or c)) d host=x');
  expect(withClause('(a) or (b)', 'host', 'x', false)).toBe('((a) or (b)) host=x');
});

/** Marks the part with `<` and `>`. */
function marked(text: string): [string, number, number] {
  const characters = Array.from(text);
  const start = characters.indexOf('<');
  const end = characters.indexOf('>') - 1;
  return [characters.filter((each) => each !== '<' && each !== '>').join(''), start, end];
}

test('a part is taken out with what joined it', () => {
  const check = (text: string, rest: string) => expect(withoutPart(...marked(text))).toBe(rest);
  check('<a> b', 'b');
  check('a <b> c', 'a c');
  check('a AND <b>', 'a');
  check('<a> && b', 'b');
  check('🌲 <b> c', '🌲 c');
  check('<a>', '');
  check('a | <top 5 host>', 'a');
  check('a | <top 5 host> | limit 2', 'a | limit 2');
  check('<a> | top 5 host', '| top 5 host');
});

test('a clause is turned round and back', () => {
  const check = (text: string, turned: string) => expect(withNegated(...marked(text))).toBe(turned);
  check('a <host=x> b', 'a -host=x b');
  check('a <-host=x> b', 'a host=x b');
  check('<NOT b>', 'b');
  check('<a or b>', '-(a or b)');
});

test('what was switched off is put back', () => {
  expect(withPart('a', 'b or c')).toBe('a (b or c)');
  expect(withPart('a | top 5 host', 'b')).toBe('a b | top 5 host');
  expect(withPart('a', '| top 5 host')).toBe('a | top 5 host');
  expect(withPart('', 'b')).toBe('b');
});
