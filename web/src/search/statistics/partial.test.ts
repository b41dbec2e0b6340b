import { expect, test } from 'vitest';
import { partialsOf } from './partial';

const MINUTE = 60_000;
const points = [0, 1, 2, 3].map((at) => ({ time: at * MINUTE }));

function check(from: number | null, to: number | null, at: number, expected: [number, string][]) {
  const asked = { from: from && from * MINUTE, to: to && to * MINUTE };
  expect([...partialsOf(points, MINUTE, asked, at * MINUTE)]).toEqual(expected);
}

test('the first and the last stretch are partial where the range begins or ends within them', () => {
  check(0.5, 3.5, 100, [
    [0, 'in part'],
    [3, 'in part'],
  ]);
  check(0, 4, 100, []);
});

test('the stretch that is not over yet is so far', () => {
  check(0, 3.4, 3.4, [[3, 'so far']]);
  check(null, null, 3.4, [[3, 'so far']]);
});

test('without lengths nothing is partial', () => {
  expect(partialsOf(points, null, { from: 1, to: 2 }, 3).size).toBe(0);
});
