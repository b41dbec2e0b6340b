import { expect, test } from 'vitest';
import type { Histogram } from '../../api/model';
import { layerPath, silences, stackOf } from './stack';

const time = (minute: number) => new Date(minute * 60_000).toISOString();

function histogram(buckets: Histogram['buckets'], values: string[] = []): Histogram {
  return {
    interval_ms: 60_000,
    buckets,
    total: 0,
    later: 0,
    values: values.map((value) => ({ value, count: 1 })),
  };
}

test('severities stand by severity, the worst at the bottom, whatever is most frequent', () => {
  const buckets = [{ time: time(0), count: 10, by: { info: 7, crit: 1, err: 2 } }];
  const { layers } = stackOf(histogram(buckets, ['info', 'err', 'crit']), 'severity');
  expect(layers.map(({ label, total }) => [label, total])).toEqual([
    ['crit', 1],
    ['err', 2],
    ['info', 7],
  ]);
});

test('every message is in one layer', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const by = Object.fromEntries(names.map((name) => [name, 2]));
  const { layers, totals } = stackOf(
    histogram([{ time: time(0), count: 20, by, other: 3 }], names),
    'host',
  );
  expect(layers).toHaveLength(7);
  expect(layers.at(-1)).toMatchObject({ value: null, total: 8 });
  expect(layers.reduce((all, { total }) => all + total, 0)).toBe(totals[0]);
});

test('a message that has several values is in the layer of each', () => {
  const buckets = [
    { time: time(0), count: 3, by: { a: 3, b: 2 } },
    { time: time(1), count: 4, by: { a: 1 } },
  ];
  const { layers, totals, highest } = stackOf(histogram(buckets, ['a', 'b']), 'tag');
  expect(layers.map(({ counts }) => counts)).toEqual([
    [3, 1],
    [2, 0],
    [0, 3],
  ]);
  expect(totals).toEqual([3, 4]);
  expect(highest).toBe(5);
});

test('without a split there is one layer', () => {
  const { layers } = stackOf(histogram([{ time: time(0), count: 4 }]), '');
  expect(layers.map(({ total }) => total)).toEqual([4]);
});

test('silence is where nothing came in, not where nothing matches', () => {
  const stack = stackOf(
    histogram([
      { time: time(0), count: 0 },
      { time: time(1), count: 0 },
      { time: time(2), count: 1 },
    ]),
    '',
  );
  const everything = histogram([
    { time: time(0), count: 0 },
    { time: time(1), count: 9 },
    { time: time(2), count: 9 },
  ]);
  expect(silences(stack, everything)).toEqual([true, false, false]);
  expect(silences(stack, undefined)).toEqual([false, false, false]);
  expect(silences(stack, { ...everything, interval_ms: 1 })).toEqual([false, false, false]);
});

test('layers stand on one another', () => {
  const { layers } = stackOf(
    histogram([{ time: time(0), count: 10, by: { err: 5, info: 5 } }], ['err', 'info']),
    'severity',
  );
  const box = { width: 3, height: 100, top: 10 };
  expect(layerPath(layers, 0, box)).toBe('M0 100h3v-50h-3z');
  expect(layerPath(layers, 1, box)).toBe('M0 50h3v-50h-3z');
});
