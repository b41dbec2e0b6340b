import { expect, test } from 'vitest';
import { profileOf, worthSaying } from './profile';
import { sample } from './sample';
import type { Pair } from './structure';

const pairs = (fields: Record<string, string>): Pair[] =>
  Object.entries(fields).map(([key, value]) => ({ key, value }));

const rows = Array.from({ length: 20 }, (_, n) =>
  pairs({
    ts: String(n),
    trace_id: `c${n}f41f02abc4d6a84ada`,
    zone: 'eu-1',
    method: n === 3 ? 'DELETE' : 'GET',
    status: ['200', '404', '502'][n % 3] ?? '',
    took: `${n * 7}ms`,
    'json.level': String(n % 3),
    user: 'ana',
  }),
);
const messages = rows.map((_, n) => sample({ id: `main:${n}` }));
const of = (asked: string[] = []) =>
  profileOf(messages, ({ id }) => rows[Number(id.slice(5))] ?? [], asked);

const noHit = () => false;
const keys = (said: Pair[]) => said.map(({ key }) => key);

test('what differs is said first; ids last; times, single values and the clauses of the query not at all', () => {
  expect(keys(worthSaying(rows[3] ?? [], of(), '', 9, noHit))).toEqual([
    'took',
    'status',
    'trace_id',
    'method',
  ]);
  expect(keys(worthSaying(rows[3] ?? [], of(['Status']), '', 1, noHit))).toEqual(['took']);
});

test('what the words say already is not said again', () => {
  const said = worthSaying(pairs({ action: 'deny', n: 'den', x: '' }), of(), 'deny tcp', 9, noHit);
  expect(keys(said)).toEqual(['n']);
});

test('what a word was found in is said first, also where every row has it', () => {
  const isHit = ({ value }: Pair) => value === 'ana';
  expect(keys(worthSaying(rows[3] ?? [], of(), '', 2, isHit))).toEqual(['user', 'took']);
  // The words of the row already show it.
  expect(keys(worthSaying(rows[3] ?? [], of(), 'login of ana', 2, isHit))).toEqual([
    'took',
    'status',
  ]);
});
