import { expect, test } from 'vitest';
import { type QueueDepth, aboutSeconds, forecastOf, forecastText } from './forecast';

const depth = (messages: number, bytes = messages * 100, bytesMax = 1_000_000): QueueDepth => ({
  messages,
  bytes,
  bytesMax,
});
const said = (of: QueueDepth, rates?: { in: number; out: number }) =>
  forecastText(forecastOf(of, rates));

test('a queue that grows will be full, by the room that is left and the length of its messages', () => {
  expect(said(depth(1_000), { in: 90, out: 0 })).toBe('full in 2 min');
  expect(said(depth(1_000), { in: 100, out: 50 })).toBe('full in 3 min');
  expect(said(depth(1_000, 500_000), { in: 10, out: 0 })).toBe('full in 2 min');
  expect(said(depth(10_000), { in: 10, out: 0 })).toBe('full');
});

test('a queue that shrinks will be empty', () => {
  expect(said(depth(4_000), { in: 100, out: 200 })).toBe('drains in 40 s');
  expect(said(depth(7_200), { in: 0, out: 1 })).toBe('drains in 2 h');
});

test('what is passing through does not wait', () => {
  expect(forecastOf(depth(0), undefined)).toEqual({ kind: 'empty' });
  expect(forecastOf(depth(200), { in: 100, out: 100 })).toEqual({ kind: 'empty' });
  expect(forecastOf(depth(2_000), { in: 100, out: 100 })).toEqual({ kind: 'steady' });
});

test('nothing is said about what is not known, or will not happen', () => {
  expect(said(depth(5))).toBe('measuring…');
  expect(said(depth(5), { in: 0, out: 0 })).toBe('');
  expect(said(depth(5, 500, 2 ** 40), { in: 0.001, out: 0 })).toBe('');
});

test('times are as exact as a guess can be', () => {
  const times = [0.2, 40, 59.9, 100, 3_599, 8_640, 86_400, 273_600];
  expect(times.map(aboutSeconds)).toEqual([
    '1 s',
    '40 s',
    '60 s',
    '2 min',
    '1 h',
    '2 h 24 min',
    '1 d',
    '3 d 4 h',
  ]);
});
