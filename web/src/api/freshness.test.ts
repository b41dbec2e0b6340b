import { expect, test } from 'vitest';
import { ApiError } from './client';
import type { Health } from './status';
import { AGE_MAX_MS, type QueryState, freshnessOf } from './freshness';

const NOW = 1_000_000;
const ready: Health = { state: 'ready' };
const fresh: QueryState = { data: {}, dataUpdatedAt: NOW - 1_000, error: null };
const none: QueryState = { data: undefined, dataUpdatedAt: 0, error: null };
const failed = (status: number) => new ApiError({ title: 'no', status });

function check(
  answers: readonly QueryState[],
  health: Health | undefined,
  why: string,
  since = true,
) {
  const known = freshnessOf(answers, health, NOW);
  expect(known.isKnown ? 'known' : known.why).toBe(why);
  if (!known.isKnown) expect(known.since !== null).toBe(since);
}

test('an answer is known while it is new and the server is there', () => {
  check([fresh], ready, 'known');
  check([fresh], { state: 'not-ready', reasons: 'the disk is full' }, 'known');
  check([{ ...fresh, dataUpdatedAt: NOW - AGE_MAX_MS }], ready, 'known');
});

test('nothing is known of a server that is away or silent, however new its last answer is', () => {
  check([fresh], { state: 'unreachable', since: NOW, why: 'away' }, 'away');
  check([fresh], { state: 'unreachable', since: NOW, why: 'silent' }, 'silent');
  check([{ ...fresh, error: failed(0) }], ready, 'away');
});

test('an old answer is not known, and one of several is enough', () => {
  const old = { ...fresh, dataUpdatedAt: NOW - AGE_MAX_MS - 1 };
  check([fresh, old], ready, 'silent');
  expect(freshnessOf([fresh, old], ready, NOW)).toMatchObject({ since: old.dataUpdatedAt });
});

test('what was not answered yet, or not to this user, is not known', () => {
  check([fresh, none], ready, 'asking', false);
  check([fresh], undefined, 'asking');
  check([{ ...none, error: failed(403) }], ready, 'refused', false);
  check([{ ...none, error: failed(500) }], ready, 'failed', false);
});
