import { expect, test } from 'vitest';
import { type Measure, groupedIn, measureOf, shortWriterOf, writerOf } from './number';

const seconds: Measure = { unit: 'seconds', factor: 1 };
const bytes: Measure = { unit: 'bytes', factor: 1 };

function check(values: number[], expected: string[], measure?: Measure) {
  const write = writerOf(values, measure);
  expect(values.map((value) => write(value).replaceAll('\u202f', '_'))).toEqual(expected);
}

test('the numbers of a column have the same number of decimals', () => {
  check([2, 3.8, 1.938], ['2.000', '3.800', '1.938']);
  check([1, 1.5], ['1.0', '1.5']);
  check([7608.068573, 12], ['7_608.1', '12.0']);
  check([0, 1234567], ['0', '1_234_567']);
  check([-1234.5], ['−1_234.5']);
  check([0.000123], ['0.000123']);
});

test('what is too small or too large is written with its power', () => {
  check([1e-9], ['1.000e-9']);
  check([1e25], ['1.000e+25']);
  check([Infinity], ['Infinity']);
});

test('durations are written in the unit that suits each of them', () => {
  check(
    [1.938, 0.704, 0.0123, 0.00000042, 0, 64.2, 0.9996],
    ['1.94_s', '704_ms', '12.3_ms', '420_ns', '0_s', '64.2_s', '1.00_s'],
    seconds,
  );
  check(
    [125, 3599.9, 12_000, 86_400, 367_200],
    ['2_min 5_s', '60_min', '3_h 20_min', '24_h', '4_d 6_h'],
    seconds,
  );
  check([3578], ['3.58_s'], { unit: 'seconds', factor: 1e-3 });
});

test('sizes are written in the powers of ten that the query language has, too', () => {
  check(
    [950, 1200, 166_400_000, 0, -2e9],
    ['950_B', '1.20_kB', '166_MB', '0_B', '−2.00_GB'],
    bytes,
  );
});

test('labels of an axis are short', () => {
  const labels = (values: number[], measure: Measure) =>
    values.map((value) => shortWriterOf(measure)(value).replaceAll('\u202f', '_'));
  expect(labels([0, 0.5, 1, 60], seconds)).toEqual(['0', '500_ms', '1_s', '60_s']);
  expect(labels([0, 5e6], bytes)).toEqual(['0', '5_MB']);
  const plain: Measure = { unit: null, factor: 1 };
  expect(labels([950, 1234, -2_500_000, 0.05, 0.00004], plain)).toEqual([
    '950',
    '1.23_k',
    '−2.5_M',
    '0.05',
    '4e-5',
  ]);
});

test('the server knows units best, the name of a field comes after', () => {
  const cases: [string, Measure['unit'], number][] = [
    ['avg(took_ms)', 'seconds', 1e-3],
    ['p95(durationMs)', 'seconds', 1e-3],
    ['max(latency_us)', 'seconds', 1e-6],
    ['sum(bytes)', 'bytes', 1],
    ['sum(sentbyte)', 'bytes', 1],
    ['avg(took)', null, 1],
    ['count', null, 1],
    ['dc(bytes)', null, 1],
    ['items', null, 1],
    ['forms', null, 1],
  ];
  for (const [name, unit, factor] of cases)
    expect(measureOf({ name, kind: 'number' }), name).toEqual({ unit, factor });
  expect(measureOf({ name: 'avg(ms)', kind: 'number', unit: 'seconds' })).toEqual(seconds);
  expect(measureOf({ name: 'bytes', kind: 'text' }).unit).toBeNull();
});

test('numbers in sentences of the server are grouped as all others are', () => {
  expect(groupedIn('the table has 14112 rows; these are the first 10000')).toBe(
    'the table has 14\u202f112 rows; these are the first 10\u202f000',
  );
  expect(groupedIn('from 2026-11-21 of host-12345, 1234.5')).toBe(
    'from 2026-11-21 of host-12345, 1234.5',
  );
});
