import { expect, test } from 'vitest';
import { sample } from '../../ui/message/sample';
import { comparedRows } from './comparedRows';

test('messages are compared field by field, with those that only one has', () => {
  const rows = comparedRows([
    sample({ id: 'main:1', fields: { user: 'ana' } }),
    sample({ id: 'main:2', host: 'web-2', fields: { ip: ['a', 'b'] } }),
  ]);
  const differing = rows.filter(({ differs }) => differs);
  expect(differing.map(({ field, values }) => [field, ...values])).toEqual([
    ['user', 'ana', null],
    ['ip', null, 'a, b'],
    ['host', 'web-1', 'web-2'],
    ['id', 'main:1', 'main:2'],
  ]);
  expect(rows.find(({ field }) => field === 'program')?.differs).toBe(false);
});
