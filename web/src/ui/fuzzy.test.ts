import { expect, test } from 'vitest';
import { fuzzyMatch, rank } from './fuzzy';

const commands = ['Go to Search', 'Go to Tail', 'Go to Router', 'Search again', 'Light or dark'];
const best = (typed: string) => rank(typed, commands, (text) => text).map(({ item }) => item);

test('letters in order are enough, and starts of words count most', () => {
  const check = (typed: string, first: string | undefined) => expect(best(typed)[0]).toBe(first);
  check('ta', 'Go to Tail');
  check('gs', 'Go to Search');
  check('sea', 'Search again');
  check('dark', 'Light or dark');
  check('tail go', 'Go to Tail');
  check('ROUT', 'Go to Router');
  check('xyz', undefined);
});

test('nothing typed leaves everything as it was', () => {
  expect(best('  ')).toEqual(commands);
});

test('the letters that were found can be shown', () => {
  expect(fuzzyMatch('gr', 'Go to Router')?.at).toEqual([0, 6]);
  expect(fuzzyMatch('out', 'Go to Router')?.at).toEqual([7, 8, 9]);
});

test('long texts are matched in reasonable time', () => {
  const text = 'a'.repeat(5_000);
  const started = performance.now();
  expect(fuzzyMatch('aaab', text)).toBeNull();
  expect(performance.now() - started).toBeLessThan(200);
});
