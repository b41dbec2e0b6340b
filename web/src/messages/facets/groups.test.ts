import { expect, test } from 'vitest';
import type { FieldsResult } from '../../api/model';
import { foundFields } from './groups';

const facet = (distinct: number) => ({
  messages: 10,
  distinct,
  values: [{ value: 'one', count: 10 }],
});

const response: FieldsResult = {
  fields: [
    { name: 'status', messages: 5, usefulness: 0.5 },
    { name: 'User', messages: 1, usefulness: 0.1 },
    { name: 'path', messages: 8, usefulness: 0.05 },
    { name: 'version', messages: 10, usefulness: 0, value: '1.2' },
  ],
  distinct: 4,
  partial: false,
  messages: 10,
  took_ms: 1,
  coverage: {} as FieldsResult['coverage'],
  warnings: [],
};

test('useful fields come first, and those with one value last', () => {
  const facets = { facility: facet(3), source: facet(1), msgid: { ...facet(0), messages: 0 } };
  const found = foundFields(['host', 'user'], facets, response);
  expect(found.map(({ field, coverage, only }) => [field, coverage, only])).toEqual([
    ['status', 0.5, undefined],
    ['path', 0.8, undefined],
    ['facility', 1, undefined],
    ['version', 1, '1.2'],
    ['source', 1, 'one'],
  ]);
  expect(found.filter(({ opens }) => opens).map(({ field }) => field)).toEqual(['status', 'path']);
});

test('nothing is found before it is known', () => {
  expect(foundFields([], {}, undefined)).toEqual([]);
});
