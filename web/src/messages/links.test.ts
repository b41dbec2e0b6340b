import { expect, test } from 'vitest';
import { permalink } from './links';

test('a link to a message needs no range', () => {
  expect(permalink('main:42')).toBe('/search?from=all&open=main%3A42');
});
