import { expect, test } from 'vitest';
import { clockText, idleText, sampledText, stateText } from './idle';
import type { Meter } from './tail';

const NOW = Date.parse('2026-01-02T12:07:11Z');
const meter: Meter = {
  now: NOW,
  seconds: [],
  matched: 0,
  received: 812,
  sampledOneIn: null,
  behind: 0,
  lastMatchAt: NOW - 240_000,
};

test('a tail without matches says since when, and that it listens', () => {
  checkIdle({}, 'No match for 4 min; last match 12:03:11; 812 messages/s arriving');
  checkIdle({ received: 0 }, 'No match for 4 min; last match 12:03:11; nothing is arriving');
  checkIdle({ lastMatchAt: null }, 'No match yet; 812 messages/s arriving');
});

test('a tail with matches, or without a connection, says nothing of the kind', () => {
  checkIdle({ lastMatchAt: NOW - 9_000 }, null);
  checkIdle({ received: null }, null);
});

test('sampling is said where there is any', () => {
  expect(sampledText(meter)).toBeNull();
  expect(sampledText({ ...meter, sampledOneIn: 1 })).toBeNull();
  expect(sampledText({ ...meter, sampledOneIn: 40 })).toBe('1 of 40 shown, all stored');
});

test('a lost connection says when it is tried again', () => {
  const problem = { title: 'Lost', status: 0 };
  const waiting = { kind: 'waiting', since: NOW, retryAt: NOW + 2_400, problem } as const;
  expect(stateText(waiting, false, NOW)).toBe('Disconnected: trying again in 3 s');
  expect(stateText(waiting, false, NOW + 5_000)).toBe('Disconnected: trying again now');
  expect(stateText(waiting, true, NOW)).toBe('Paused');
  expect(stateText({ kind: 'closed' }, true, NOW)).toBe('Paused: the rest waits at the server');
});

test('a clock shows the zone it is asked for', () => {
  expect(clockText(NOW, 'utc')).toBe('12:07:11');
  expect(clockText(NOW, 'local')).toBe('13:07:11');
});

function checkIdle(part: Partial<Meter>, expected: string | null) {
  expect(idleText({ ...meter, ...part }, 'utc')).toBe(expected);
}
