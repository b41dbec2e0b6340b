import { expect, test } from 'vitest';
import {
  holding,
  inOrder,
  isNumeric,
  lacksChosen,
  looksNumeric,
  share,
  valuesText,
} from './facetValues';

const nothing = { values: [], excluded: [], low: undefined, high: undefined };
const numbers = { messages: 1, min: 1, median: 1, p95: 1, max: 1, buckets: [] };
const facet = { messages: 9, distinct: 20, values: [] };

test('severities stand by severity, everything else as it was counted', () => {
  const values = [
    { value: 'info', count: 9 },
    { value: 'err', count: 1 },
  ];
  expect(inOrder('severity', values, nothing)).toEqual(values.toReversed());
  expect(inOrder('program', values, nothing)).toEqual(values);
});

test('what was chosen is there, even if nothing has it', () => {
  const choice = { ...nothing, values: ['a', 'gone'], excluded: ['out'] };
  expect(inOrder('host', [{ value: 'a', count: 9 }], choice)).toEqual([
    { value: 'a', count: 9 },
    { value: 'gone' },
    { value: 'out' },
  ]);
  const values = [
    { value: 'a', count: 9 },
    { value: 'b', count: 8 },
    { value: 'c', count: 7 },
  ];
  expect(inOrder('host', values, { ...nothing, values: ['c'] }, 1)).toEqual([values[0], values[2]]);
  expect(lacksChosen({ ...facet, values }, { ...nothing, values: ['d'] })).toBe(true);
  expect(lacksChosen({ ...facet, values }, { ...nothing, values: ['c'] })).toBe(false);
  expect(lacksChosen({ ...facet, values, distinct: 3 }, choice)).toBe(false);
});

test('a share is never a false 0 or 100', () => {
  expect([share(1, 1000), share(120, 1000), share(999, 1000), share(1000, 1000)]).toEqual([
    '< 1 %',
    '12 %',
    '> 99 %',
    '100 %',
  ]);
  expect([share(5, undefined), share(0, 0), share(0, 10)]).toEqual(['', '', '0 %']);
});

test('a search inside a field ignores case', () => {
  expect(holding([{ value: 'Sshd', count: 1 }], 'ss')).toHaveLength(1);
  expect(holding([{ value: 'Sshd', count: 1 }], 'x')).toHaveLength(0);
});

test('few numbers are values to choose from, many are a distribution', () => {
  expect(isNumeric({ ...facet, numbers })).toBe(true);
  expect(isNumeric({ ...facet, numbers, distinct: 4 })).toBe(false);
  expect(isNumeric(facet)).toBe(false);
  expect(looksNumeric({ ...facet, values: [{ value: '12ms', count: 1 }] })).toBe(true);
  expect(looksNumeric({ ...facet, values: [{ value: 'a', count: 1 }] })).toBe(false);
});

test('how many values there are, and how many are chosen', () => {
  expect(valuesText(facet, nothing)).toBe('20 values');
  expect(valuesText({ ...facet, distinct: 1 }, nothing)).toBe('1 value');
  expect(valuesText({ ...facet, partial: 'why' }, { ...nothing, values: ['a'] })).toBe('1 of ~20');
});
