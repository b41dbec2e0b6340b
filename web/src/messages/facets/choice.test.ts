import { expect, test } from 'vitest';
import { choiceOf } from './field';

const clause = { text: '', start: 0, end: 0, negated: false, fields: ['host'] };

test('a field is chosen by the clauses that are about it alone', () => {
  const clauses = [
    { ...clause, values: ['a', 'b'] },
    { ...clause, fields: ['Host'], negated: true, values: ['c'] },
    { ...clause, fields: ['host', 'user'] },
    { ...clause, fields: [] },
    { ...clause, fields: ['took'], low: 2.5 },
  ];
  const nothing = { values: [], excluded: [], low: undefined, high: undefined };
  expect(choiceOf(clauses, 'host')).toEqual({ ...nothing, values: ['a', 'b'], excluded: ['c'] });
  expect(choiceOf(clauses, 'took')).toEqual({ ...nothing, low: 2.5 });
  expect(choiceOf(clauses, 'user')).toEqual(nothing);
});
