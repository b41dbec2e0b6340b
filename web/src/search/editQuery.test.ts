import { expect, test } from 'vitest';
import { withClause } from './editQuery';

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
