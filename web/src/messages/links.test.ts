import { expect, test } from 'vitest';
import { permalink } from './messageState';

test('a link to a message needs no range', () => {
  expect(permalink('main:42')).toBe('/search?from=all&open=main%3A42');
});
