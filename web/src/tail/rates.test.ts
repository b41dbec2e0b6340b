import { expect, test } from 'vitest';
import { Rates, SECONDS_MAX, toneOf } from './rates';

const NOW = 1_000_000_500;

test('messages are counted in the second they belong to', () => {
  check((rates) => [0, 0, -1_000, -2_000].forEach((ago) => add(rates, ago)), [1, 1, 2]);
});

test('what lies ahead counts as now, and what is too old not at all', () => {
  check((rates) => [5_000, -SECONDS_MAX * 1000, -1e12].forEach((ago) => add(rates, ago)), [1]);
  check((rates) => add(rates, -(SECONDS_MAX - 1) * 1000), [0, 0, 0], 1);
});

test('what was sent stands for what was not', () => {
  const sampled = (rates: Rates) => {
    add(rates, -1_000);
    add(rates, 0);
    rates.settle(2, 80);
    add(rates, 0);
    rates.settle(1, 1);
  };
  check(sampled, [40, 41]);
});

test('nothing is made up where nothing was sent', () => {
  check((rates) => rates.settle(0, 80), [0]);
});

test('a second is watched or it is not', () => {
  const rates = new Rates();
  rates.watch(NOW - 1_000);
  expect(
    rates
      .seconds(NOW)
      .slice(-2)
      .map(({ watched }) => watched),
  ).toEqual([true, false]);
});

test('seconds fall out at the end', () => {
  const rates = new Rates();
  add(rates, 0);
  expect(rates.seconds(NOW + (SECONDS_MAX - 1) * 1000)[0]?.total).toBe(1);
  expect(rates.seconds(NOW + SECONDS_MAX * 1000).map(({ total }) => total)).not.toContain(1);
});

test('every severity has a tone', () => {
  const severities = [null, 0, 1, 2, 3, 4, 5, 6, 7];
  expect(severities.map(toneOf)).toEqual([
    'none',
    'critical',
    'critical',
    'critical',
    'error',
    'warning',
    'notice',
    'info',
    'debug',
  ]);
});

/** Checks the last seconds, and the sum of all. */
function check(act: (rates: Rates) => unknown, last: number[], sum?: number) {
  const rates = new Rates();
  act(rates);
  const totals = rates.seconds(NOW).map(({ total }) => total);
  expect(totals).toHaveLength(SECONDS_MAX);
  expect(totals.slice(-last.length)).toEqual(last);
  expect(totals.reduce((a, b) => a + b)).toBe(sum ?? last.reduce((a, b) => a + b));
}

function add(rates: Rates, afterMs: number) {
  rates.add(NOW + afterMs, 'info', NOW);
}
