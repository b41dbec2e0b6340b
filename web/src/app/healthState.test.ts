import { expect, test } from 'vitest';
import type { Health } from '../api/status';
import type { StaleReason, Freshness } from '../api/freshness';
import type { Cause } from '../overview/causes';
import { nameOf, stateOf } from './healthState';

const ready = { state: 'ready' } as Health;
const known: Freshness = { isKnown: true };
const not = (why: StaleReason): Freshness => ({ isKnown: false, since: null, why });
const cause = (tone: Cause['tone']) => ({ tone }) as Cause;
const told = (health: Health | undefined, known: Freshness, causes: readonly Cause[]) => {
  const state = stateOf(health, known, causes);
  return [state, nameOf(state, causes)];
};

test('a server that runs is as well as the overview says', () => {
  expect(told(ready, known, [])).toEqual(['ready', 'All is well']);
  expect(told(ready, known, [cause('caution')])).toEqual(['look', '1 to look at']);
  expect(told(ready, known, [cause('caution'), cause('bad')])).toEqual(['trouble', '2 troubles']);
});

test('one that does not answer is not judged by what it said before', () => {
  const away = { state: 'unreachable' } as Health;
  expect(told(away, known, [cause('bad')])).toEqual(['unreachable', 'No answer']);
  expect(told(undefined, known, [])).toEqual(['checking', 'Checking…']);
});

test('nothing is well that is not known', () => {
  expect(told(ready, not('refused'), [])).toEqual(['hidden', 'Not known to you']);
  expect(told(ready, not('failed'), [])).toEqual(['unknown', 'Not known']);
  expect(told(ready, not('silent'), [cause('bad')])).toEqual(['unknown', 'Not known']);
  expect(told(ready, not('asking'), [])).toEqual(['checking', 'Checking…']);
  // A problem is reported as soon as it is known.
  expect(told(ready, not('asking'), [cause('bad')])).toEqual(['trouble', '1 trouble']);
});
