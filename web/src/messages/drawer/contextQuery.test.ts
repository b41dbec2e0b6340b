import { expect, test } from 'vitest';
import { sample } from '../../ui/message/sample';
import { contextOf } from './contextQuery';

const messages = (...ids: string[]) => ids.map((id) => sample({ id }));
const page = (id: string, before: string[], after: string[]) => ({
  message: sample({ id }),
  before: messages(...before),
  after: messages(...after),
  more_before: false,
  more_after: false,
});

test('pages in both directions make one list with the message in its place', () => {
  const pages = [page('c', ['a', 'b'], []), page('e', ['c', 'd'], ['f']), page('f', [], ['g'])];
  expect(
    contextOf(pages, 'e')
      .map(({ id }) => id)
      .join(''),
  ).toBe('abcdefg');
  expect(contextOf([], 'e')).toEqual([]);
});
