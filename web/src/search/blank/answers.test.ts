import { expect, test } from 'vitest';
import { changeOf, newValues, seriesOf, shareOf, silentHosts } from './answers';
import { rangeBefore, silenceOf } from './ranges';

const counted = (...pairs: [string, number][]) => pairs.map(([value, count]) => ({ value, count }));

test.each([
  [10, undefined, null],
  [0, 0, null],
  [5, 0, 'new worse'],
  [50, 10, '×5 worse'],
  [26, 10, '×2.6 worse'],
  [1000, 10, '×100 worse'],
  [5979, 1, '×100+ worse'],
  [104, 100, '+4 % same'],
  [100, 100, 'same same'],
  [82, 100, '−18 % better'],
  [0, 100, '−100 % better'],
])('%s after %s is %s', (count, before, said) => {
  const change = changeOf(count, before);
  expect(change && `${change.text} ${change.tone}`).toBe(said);
});

test('new is what was not there before', () => {
  const now = counted(['sshd', 9], ['nginx', 4]);
  expect(newValues(now, counted(['sshd', 1]))).toEqual(counted(['nginx', 4]));
});

test('a host is silent when it was heard, in the range or before it, and is not heard now', () => {
  const inRange = counted(['a', 5], ['b', 3], ['', 9]);
  const before = counted(['b', 30], ['c', 7]);
  expect(silentHosts([inRange, before], counted(['a', 1]))).toEqual(counted(['b', 33], ['c', 7]));
});

test('a series is of one value or of all', () => {
  const bucket = (count: number, a?: number) => ({
    time: '2026-01-01T00:00:00Z',
    count,
    ...(a !== undefined && { by: { a } }),
  });
  const histogram = { interval_ms: 60_000, total: 3, later: 0, buckets: [bucket(2, 1), bucket(1)] };
  expect(seriesOf(histogram, 'a')).toEqual([1, 0]);
  expect(seriesOf(histogram)).toEqual([2, 1]);
});

test('a share is never rounded to nothing or to all', () => {
  expect([shareOf(1, 1000), shareOf(999, 1000), shareOf(5, 5), shareOf(0, 5)]).toEqual([
    '<1 %',
    '99 %',
    '100 %',
    '0 %',
  ]);
});

test('the range before is as long, and ends where this one begins', () => {
  localStorage.setItem('logstead-zone', '"utc"');
  expect(rangeBefore({ kind: 'last', span: '24h' })).toEqual({ from: '-2d', to: '-24h' });
  expect(rangeBefore({ kind: 'all' })).toBeNull();
  const day = { kind: 'between', from: '2026-01-02T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z' };
  expect(rangeBefore({ ...day, kind: 'between' })).toEqual({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-02T00:00:00.000Z',
  });
  localStorage.clear();
});

test('silence is an hour, or a part of a shorter range, and only up to now', () => {
  expect(['24h', '1h', '15m', '1m'].map((span) => silenceOf({ kind: 'last', span }))).toEqual([
    '1h',
    '10m',
    '3m',
    '1m',
  ]);
  expect(silenceOf({ kind: 'between', from: null, to: null })).toBeNull();
});
