import { expect, test } from 'vitest';
import { charactersBefore, spanOf, unitAt } from './offsets';

test('a character outside of the basic plane counts once', () => {
  expect(charactersBefore('🌲x', 2)).toBe(1);
  expect(unitAt('🌲x', 1)).toBe(2);
  expect(unitAt('ab', 9)).toBe(2);
});

test('lines and columns become places', () => {
  const check = (
    text: string,
    line: number,
    column: number,
    end: number | undefined,
    part: string,
  ) => {
    const span = spanOf(text, line, column, end);
    expect(text.slice(span.start, span.end)).toBe(part);
  };
  check('host:(a', 1, 6, 7, '(');
  check('a\n🌲 bc', 2, 3, 5, 'bc');
  check('abc', 1, 4, undefined, 'c');
  check('abc', 7, 1, 4, 'abc');
  check('', 1, 1, undefined, '');
});
