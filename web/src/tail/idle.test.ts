import { expect, test } from 'vitest';
import { clockText, idleText, matchingText, stateText } from './idle';
import type { Meter } from './tail';

const NOW = Date.parse('2026-01-02T12:07:11Z');
const meter: Meter = {
  now: NOW,
  seconds: [],
  matched: 0,
  received: 812,
  shown: null,
  behind: 0,
  lastMatchAt: NOW - 240_000,
};

test('a tail without matches says since when, and that it listens', () => {
  checkIdle({}, 'No matches for 4 min, last at 12:03:11, receiving 812/s');
  checkIdle({ received: 0 }, 'No matches for 4 min, last at 12:03:11, receiving nothing');
  checkIdle({ lastMatchAt: null }, 'No matches yet, receiving 812/s');
});

test('a tail with matches, or without a connection, says nothing of the kind', () => {
  checkIdle({ lastMatchAt: NOW - 9_000 }, null);
  checkIdle({ received: null }, null);
});

test('where only a part of the matches is sent the rate says so', () => {
  expect(matchingText({ matched: null, shown: null })).toBe('–');
  expect(matchingText({ matched: 0.4, shown: null })).toBe('0.4/s');
  expect(matchingText({ matched: 20_258, shown: 2000 })).toBe('2\u202f000 of 20\u202f258/s shown');
});

test('a lost connection says when it is tried again', () => {
  const problem = { title: 'Lost', status: 0 };
  const waiting = { kind: 'waiting', since: NOW, retryAt: NOW + 2_400, problem } as const;
  expect(stateText(waiting, false, NOW)).toBe('Disconnected, retrying in 3 s');
  expect(stateText(waiting, false, NOW + 5_000)).toBe('Disconnected, retrying now');
  expect(stateText(waiting, true, NOW)).toBe('Paused');
  expect(stateText({ kind: 'closed' }, true, NOW)).toBe('Paused, the rest waits on the server');
});

test('a clock shows the zone it is asked for', () => {
  expect(clockText(NOW, 'utc')).toBe('12:07:11');
  expect(clockText(NOW, 'local')).toBe('13:07:11');
});

function checkIdle(part: Partial<Meter>, expected: string | null) {
  expect(idleText({ ...meter, ...part }, 'utc')).toBe(expected);
}
