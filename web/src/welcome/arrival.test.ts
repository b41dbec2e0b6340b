import { expect, test } from 'vitest';
import type { Message } from '../api/model';
import { type Arrival, nextArrival, waitedMs } from './arrival';

const at = (time: string, received = time) =>
  ({ id: `main:${time}`, time, received }) as unknown as Message;
const other = at('2026-01-02T00:00:00Z');
const hello = at('2026-01-02T00:00:10Z');
const NOW = Date.parse('2026-01-02T00:00:10.400Z');

test('on a new server any message is the first one', () => {
  const before = nextArrival(undefined, { test: null, newest: null }, NOW);
  expect(before).toMatchObject({ message: null, wasEmpty: true });
  const after = nextArrival(before, { test: null, newest: other }, NOW);
  expect(after).toMatchObject({ message: other, seenAt: NOW });
});

test('where messages come in anyway, only the test message counts', () => {
  const before = nextArrival(undefined, { test: null, newest: other }, NOW);
  const still = nextArrival(before, { test: null, newest: hello }, NOW);
  expect(still).toMatchObject({ message: null, newest: hello });
  expect(nextArrival(still, { test: hello, newest: hello }, NOW).message).toEqual(hello);
});

test('the time it took is only told where it was seen and the clocks agree', () => {
  const arrival = (message: Message, seenAt: number | null): Arrival => ({
    message,
    newest: null,
    wasEmpty: true,
    seenAt,
  });
  const check = (one: Arrival, waited: number | null) => expect(waitedMs(one)).toBe(waited);
  check(arrival(hello, NOW), 400);
  check(arrival(at('2026-01-01T00:00:00Z', '2026-01-02T00:00:10.1Z'), NOW), 300);
  check(arrival(hello, null), null);
  check(arrival(hello, NOW - 3_000), null);
});
