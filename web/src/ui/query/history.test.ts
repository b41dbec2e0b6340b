import { expect, test } from 'vitest';
import { readHistory, remember } from './history';

test('the newest query is first, and none is there twice', () => {
  expect(remember(['a', 'b'], ' b ')).toEqual(['b', 'a']);
  expect(remember(['a'], '  ')).toEqual(['a']);
  const many = Array.from({ length: 100 }, (_, at) => `q${at}`);
  expect(remember(many, 'new')).toHaveLength(100);
});

test('text that is not a history is read as an empty one', () => {
  expect(readHistory('{')).toEqual([]);
  expect(readHistory('{"a":1}')).toEqual([]);
  expect(readHistory('["a",1]')).toEqual(['a']);
  expect(readHistory(undefined)).toEqual([]);
});
