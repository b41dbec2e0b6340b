import { expect, test } from 'vitest';
import type { TailStatus } from '../api/events';
import { sample } from '../ui/message/sample';
import { readAgents, writeAgents } from './agentParams';
import {
  type Arrival,
  type ArrivalEvent,
  NOTHING,
  arrivalStateOf,
  nextArrival,
  searchHref,
} from './arrival';

const problem = { title: 'no', status: 400 };
const open: ArrivalEvent = { kind: 'connection', state: { kind: 'open', serverTime: null } };
const closed: ArrivalEvent = { kind: 'connection', state: { kind: 'closed' } };
const messages = (...texts: string[]): ArrivalEvent => ({
  kind: 'event',
  event: { kind: 'messages', messages: texts.map((message) => sample({ message })) },
});
const counts = (received: number, matched: number): ArrivalEvent => ({
  kind: 'event',
  event: { kind: 'status', status: { received, matched } as TailStatus },
});

const after = (...steps: ArrivalEvent[]): Arrival => steps.reduce(nextArrival, NOTHING);

test('it waits, and says how many others came', () => {
  expect(arrivalStateOf(NOTHING)).toEqual({ kind: 'waiting', others: 0, isOpen: false });
  const waiting = arrivalStateOf(after(open, counts(3, 0), counts(2, 0)));
  expect(waiting).toEqual({ kind: 'waiting', others: 5, isOpen: true });
});

test('of all messages the first is kept, and a count', () => {
  const arrival = after(open, messages('a', 'b'), counts(2, 2), messages('c'), counts(9, 1));
  expect(arrival.first?.message).toBe('a');
  expect(arrivalStateOf(arrival)).toMatchObject({ kind: 'received', count: 3 });
  expect(arrivalStateOf(after(open, messages('a')))).toMatchObject({ count: 1 });
  expect(Object.keys(arrival)).toEqual(Object.keys(NOTHING));
});

test('what has arrived stays, whatever becomes of the connection', () => {
  expect(arrivalStateOf(after(open, messages('a'), closed)).kind).toBe('received');
});

test('each end of a connection has a face', () => {
  const at = Date.now();
  const lost: ArrivalEvent = {
    kind: 'connection',
    state: { kind: 'waiting', since: at, retryAt: at, problem },
  };
  const refused = (status: number): ArrivalEvent => ({
    kind: 'connection',
    state: { kind: 'refused', problem: { ...problem, status } },
  });
  expect(arrivalStateOf(after(open, lost)).kind).toBe('lost');
  expect(arrivalStateOf(after(refused(400)))).toMatchObject({
    kind: 'refused',
    isForbidden: false,
  });
  expect(arrivalStateOf(after(refused(403)))).toMatchObject({ kind: 'refused', isForbidden: true });
  expect(arrivalStateOf(after(open, closed)).kind).toBe('timeout');
  expect(arrivalStateOf(after(open, closed, open)).kind).toBe('waiting');
});

test('the address keeps the agent and the query', () => {
  for (const state of [
    { agent: null, query: null },
    { agent: 'curl', query: '' },
  ])
    expect(readAgents(writeAgents(state))).toEqual(state);
  expect(writeAgents(readAgents({}))).toEqual({});
});

test('Search opens with the message', () => {
  expect(searchHref('host:a b', sample({ id: 'main:7' }))).toBe(
    '/search?q=host%3Aa+b&from=all&open=main%3A7',
  );
});
