import { expect, test } from 'vitest';
import type { TimeRange } from '../ui/range';
import { type Trail, carried, walked } from './scope';

const last = (span: string): TimeRange => ({ kind: 'last', span });
const walk = (...spans: string[]) =>
  spans.reduce((trail: Trail, span) => walked(trail, last(span)), []);

test('the scope goes along to every page, the query only where it is asked', () => {
  const params = { q: 'error', from: '-6h', logspace: 'main', open: 'main:7', columns: 'host' };
  expect(carried(params, true)).toEqual({ q: 'error', from: '-6h', logspace: 'main' });
  expect(carried(params, false)).toEqual({ from: '-6h', logspace: 'main' });
  expect(carried({}, true)).toEqual({});
});

test('a range that was left can be gone back to', () => {
  expect(walk('1h', '6h', '24h')).toEqual([last('1h'), last('6h'), last('24h')]);
  expect(walk('1h', '1h')).toEqual([last('1h')]);
});

test('going back, by key or by browser, leaves no step behind', () => {
  expect(walk('1h', '6h', '1h')).toEqual([last('1h')]);
  expect(walk('1h', '6h', '24h', '6h', '1h')).toEqual([last('1h')]);
});

test('a trail does not grow for ever', () => {
  expect(walk(...Array.from({ length: 99 }, (_, n) => `${n + 1}m`))).toHaveLength(50);
});
