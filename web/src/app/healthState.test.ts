import { expect, test } from 'vitest';
import type { Health } from '../api/health';
import type { Cause } from '../overview/causes';
import { nameOf, stateOf } from './healthState';

const ready = { state: 'ready' } as Health;
const cause = (tone: Cause['tone']) => ({ tone }) as Cause;
const told = (health: Health | undefined, causes: readonly Cause[]) => {
  const state = stateOf(health, causes);
  return [state, nameOf(state, causes)];
};

test('a server that runs is as well as the overview says', () => {
  expect(told(ready, [])).toEqual(['ready', 'All is well']);
  expect(told(ready, [cause('caution')])).toEqual(['look', '1 to look at']);
  expect(told(ready, [cause('caution'), cause('bad')])).toEqual(['trouble', '2 troubles']);
});

test('one that does not answer is not judged by what it said before', () => {
  const away = { state: 'unreachable' } as Health;
  expect(told(away, [cause('bad')])).toEqual(['unreachable', 'Unreachable']);
  expect(told(undefined, [])).toEqual(['checking', 'Checking…']);
});
