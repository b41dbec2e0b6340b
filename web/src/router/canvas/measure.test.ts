import { expect, test } from 'vitest';
import type { RouterStatus } from '../../api/model';
import { measuredRates } from './measure';

type Totals = Partial<RouterStatus['totals']>;

const look = (second: number, totals: Totals, queued = 0, waiting = 0) =>
  ({
    time: new Date(second * 1000).toISOString(),
    totals: {
      ...{ received: 0, stored: 0, forwarded: 0, dropped: {} },
      ...{ unacknowledged: 0, lost_before: 0, in_flight: 0 },
      ...totals,
    },
    destinations: [{ id: 'siem', queued, queue_messages: waiting }],
  }) as unknown as RouterStatus;

test('what became of messages between two looks, a second', () => {
  const dropped = { 'route:fw/step:1': 60, destination_disabled: 20, no_route: 10, queue_full: 30 };
  const later = { received: 2_000, stored: 1_800, forwarded: 80, dropped };
  expect(measuredRates(look(0, { received: 1_000 }), look(10, later))?.fates).toEqual({
    received: 100,
    stored: 180,
    forwarded: 8,
    dropped: 8,
    lost: 3,
    unrouted: 1,
  });
});

test('what left a queue is what came and does not wait', () => {
  const queue = measuredRates(look(0, {}, 100, 100), look(10, {}, 200, 150))?.queues.get('siem');
  expect(queue).toEqual({ in: 10, out: 5 });
});

test('nothing is known after too short a time, or when the counters began anew', () => {
  expect(measuredRates(look(0, {}), look(1, {}))).toBeUndefined();
  expect(measuredRates(look(0, { received: 9 }), look(10, { received: 1 }))).toBeUndefined();
  expect(measuredRates(look(0, {}, 9), look(10, {}, 1))?.queues.size).toBe(0);
});
