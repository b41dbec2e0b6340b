import { expect, test } from 'vitest';
import { holding, inOrder, isNumeric, share } from './facetValues';

const values = (...names: string[]) => names.map((value, at) => ({ value, count: 9 - at }));

test('severities stand by severity, other values as they come', () => {
  const names = (field: string) =>
    inOrder(field, values('info', 'emerg', 'err')).map(({ value }) => value);
  expect(names('severity')).toEqual(['emerg', 'err', 'info']);
  expect(names('host')).toEqual(['info', 'emerg', 'err']);
});

test('a share is never rounded to none or all', () => {
  expect(share(1, 1_000_000)).toBe('< 1 %');
  expect(share(999_999, 1_000_000)).toBe('> 99 %');
  expect(share(5, 5)).toBe('100 %');
  expect(share(1, 3)).toBe('33 %');
  expect(share(0, 3)).toBe('0 %');
  expect(share(5, undefined)).toBe('');
});

test('a search inside a field is in any case', () => {
  expect(holding(values('Web-1', 'db'), 'web')).toHaveLength(1);
});

test('only numbers are summed up', () => {
  expect(isNumeric(values('1', '-2.5'))).toBe(true);
  expect(isNumeric(values('1', 'x'))).toBe(false);
  expect(isNumeric([])).toBe(false);
});
