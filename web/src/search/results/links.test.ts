import { expect, test } from 'vitest';
import { permalink, topQuery } from './links';

test('a link to a message needs no range', () => {
  expect(permalink('main:42')).toBe('/search?from=all&open=main%3A42');
});

test('the most frequent values are those of what the filter finds', () => {
  expect(topQuery('', 'host')).toBe('* | top 20 host');
  expect(topQuery(' failed ', 'odd name')).toBe('failed | top 20 "odd name"');
  expect(topQuery('failed', 'limit')).toBe('failed | top 20 "limit"');
});
