import { expect, test } from 'vitest';
import { groupKeys } from './groupKeys';

const bound = (keys: string, does: string | null, group = '') => ({ keys, does, group, run: null });

test('keys are listed by page, those of the page first, each thing once', () => {
  const groups = groupKeys(
    [
      bound('?', 'This list', 'Console'),
      bound('j', 'Next message'),
      bound('ArrowDown', 'Next message'),
      bound('j', 'Next message'),
      bound('q', null),
    ],
    'Search',
  );
  expect(groups).toEqual([
    { name: 'Search', keys: [{ does: 'Next message', keys: ['j', 'ArrowDown'] }] },
    { name: 'Console', keys: [{ does: 'This list', keys: ['?'] }] },
  ]);
});
