import { describe, expect, test } from 'vitest';
import { tokens } from '../../../ui/tokens';
import type { Plot } from '../pivot';
import { type Measure, plain } from '../number';
import {
  barPaths,
  kindsFor,
  lines,
  horizontalBars,
  pointAt,
  verticalBars,
  thinned,
  timeSlots,
  valueScale,
} from './layout';
import { seriesTokens } from './palette';
import { pointName, readingsAt, spokenPoint, writersOf } from './pointText';
import { ticks, timeTicks, unitTicks } from './scale';

const MINUTE = 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');

function plotOf(values: (number | null)[][], part: Partial<Plot> = {}): Plot {
  const points = (values[0] ?? []).map((_, at) => ({
    name: `p${at}`,
    time: start + at * MINUTE,
    row: [],
  }));
  const series = values.map((list, index) => ({
    name: `s${index}`,
    tone: { kind: 'series', index } as const,
    values: list,
    measure: plain,
  }));
  const base = { axis: 'time', column: 0, points, series, stackable: true } as const;
  return {
    ...base,
    spanMs: MINUTE,
    partial: new Map(),
    measure: 'count',
    split: null,
    notes: [],
    ...part,
  };
}

test('ticks are round and hold all values between them', () => {
  const cases: [number, number, number[]][] = [
    [0, 21_000, [0, 5000, 10_000, 15_000, 20_000, 25_000]],
    [0, 0.3, [0, 0.1, 0.2, 0.3]],
    [-3, 8, [-5, -2.5, 0, 2.5, 5, 7.5, 10]],
    [0, 0, [0, 1]],
    [7, 7, [0, 2, 4, 6, 8]],
  ];
  for (const [low, high, expected] of cases) expect(ticks(low, high, 5)).toEqual(expected);
});

test('ticks of long times are round in minutes, hours and days', () => {
  const seconds: Measure = { unit: 'seconds', factor: 1 };
  expect(unitTicks(0, 3.5, 4, seconds)).toEqual([0, 1, 2, 3, 4]);
  expect(unitTicks(0, 400, 4, seconds)).toEqual([0, 120, 240, 360, 480]);
  expect(unitTicks(0, 9000, 3, seconds)).toEqual([0, 3600, 7200, 10_800]);
  expect(unitTicks(0, 400_000, 4, { unit: 'seconds', factor: 1e-3 })).toEqual([
    0, 120_000, 240_000, 360_000, 480_000,
  ]);
});

test('ticks of time are round in the zone that is shown', () => {
  const from = Date.parse('2026-01-01T21:30:00Z');
  const to = Date.parse('2026-01-02T01:30:00Z');
  const labels = (zone: 'utc' | 'local') => timeTicks(from, to, 6, zone).map(({ label }) => label);
  expect(labels('utc')).toEqual(['22:00', '23:00', '01-02', '01:00']);
  expect(labels('local')).toEqual(['23:00', '01-02', '01:00', '02:00']);
});

test('days are days of the clock where the clocks are changed', () => {
  const from = Date.parse('2026-03-28T00:00:00+01:00');
  const found = timeTicks(from, from + 3 * 86_400_000, 3, 'local');
  expect(found.map(({ time }) => new Date(time).toISOString())).toEqual([
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
    '2026-03-30T22:00:00.000Z',
  ]);
});

test('bars that add up stand on one another and reach the top of their sum', () => {
  const plot = plotOf([[1], [3]]);
  const bars = verticalBars(plot, { low: 0, high: 4, ticks: [] }, 100, 80);
  expect(bars.map(({ top, height }) => [top, height])).toEqual([
    [60, 20],
    [0, 60],
  ]);
});

test('bars that do not add up stand side by side', () => {
  const plot = plotOf([[1], [3]], { stackable: false });
  const [one, other] = verticalBars(plot, { low: 0, high: 4, ticks: [] }, 100, 80);
  expect(one?.left).toBe(1);
  expect(other?.left).toBe(50);
  expect(valueScale(plot, 'bars', 4).high).toBe(3);
});

test('lying bars go from zero to their value, also below it', () => {
  const plot = plotOf([[-1, 3]], { axis: 'names' });
  const bars = horizontalBars(plot, { low: -1, high: 3, ticks: [] }, 80, 20);
  expect(bars.map(({ left, width }) => [left, width])).toEqual([
    [0, 20],
    [20, 60],
  ]);
  expect(kindsFor(plot)).toEqual(['bars']);
});

test('a line is broken where there is no value, and a lonely value is a dot', () => {
  const [line] = lines(
    plotOf([[1, null, 2, 3]], { stackable: false }),
    { low: 0, high: 4, ticks: [] },
    40,
    40,
    'lines',
  );
  expect(line?.path).toBe('M5,30M25,20L35,10');
  expect(line?.dots).toHaveLength(1);
});

test('the sum of a part of a span does not look like a fall', () => {
  const partial = new Map([[3, 'so far' as const]]);
  const scale = { low: 0, high: 4, ticks: [] };
  const path = (part: Partial<Plot>) =>
    lines(plotOf([[2, 2, 2, 1]], { partial, ...part }), scale, 40, 40, 'lines')[0]?.path;
  expect(path({})).toBe('M5,20L15,20L25,20');
  expect(path({ stackable: false })).toBe('M5,20L15,20L25,20L35,30');
});

test('stacked areas lie on one another', () => {
  const found = lines(
    plotOf([
      [1, 1],
      [2, 2],
    ]),
    { low: 0, high: 4, ticks: [] },
    20,
    40,
    'area',
  );
  expect(found.map(({ area }) => area)).toEqual([
    'M5,30L15,30L15,40L5,40Z',
    'M5,10L15,10L15,30L5,30Z',
  ]);
});

test('of more points than pixels those are drawn that are seen', () => {
  const dots = Array.from({ length: 1000 }, (_, at) => ({ x: at / 100, y: at % 7, point: at }));
  const kept = thinned(dots);
  expect(kept.length).toBeLessThanOrEqual(40);
  expect([kept[0], kept.at(-1)]).toEqual([dots[0], dots.at(-1)]);
  const spike = { x: 5.5, y: 99, point: 550 };
  expect(thinned(dots.with(550, spike))).toContainEqual(spike);
  expect(thinned(dots.slice(0, 1))).toEqual(dots.slice(0, 1));

  const values = Array.from({ length: 1000 }, (_, at) => (at === 555 ? 50 : 1));
  const [bars] = barPaths(plotOf([values]), { low: 0, high: 50, ticks: [] }, 100, 50);
  expect(bars?.path.match(/M/gu)).toHaveLength(100);
  expect(bars?.path).toContain('v50h');
});

test('the pointer is at the nearest point, also next to a gap', () => {
  const slots = timeSlots(plotOf([[1, 2, 3]]), 90);
  expect([-5, 44, 46, 500].map((x) => pointAt(slots, x))).toEqual([0, 1, 1, 2]);
});

test('a point is described in words', () => {
  const plot = plotOf([
    [1, 0],
    [3, 2],
  ]);
  expect(pointName(plot, 0, 'utc')).toBe('2026-01-01 00:00:00 – 00:01:00');
  const open = { ...plot, partial: new Map([[1, 'so far' as const]]) };
  expect(pointName(open, 1, 'utc')).toBe('2026-01-01 00:01:00 – 00:02:00 (so far)');
  expect(readingsAt(plot, 1, writersOf(plot)).map(({ name }) => name)).toEqual(['s1']);
  expect(spokenPoint(plot, 0, 'utc', writersOf(plot))).toBe(
    '2026-01-01 00:00:00 – 00:01:00: total 4, s1 3, s0 1',
  );
});

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  const colors = [...seriesTokens, '--q6' as const].map((name) => tokens[scheme][name] ?? '');

  test('every series stands out from the page and the panel (AA for graphics)', () => {
    for (const back of ['--surface', '--bg'] as const)
      for (const color of colors)
        expect(contrast(color, tokens[scheme][back] ?? ''), color).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.keys(sights))('no two series look alike with %s sight', (sight) => {
    const seen = colors.map((color) => lab(apply(sights[sight] ?? [], linear(color))));
    seen.forEach((one, at) => {
      for (const other of seen.slice(0, at)) expect(distance(one, other)).toBeGreaterThan(15);
    });
  });
});

type Triple = readonly number[];

/**
 * Converts a colour (linear RGB) to what a person without one kind of cones sees: Machado and
 * others, 2009.
 */
const sights: Record<string, readonly Triple[]> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'red-blind': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'green-blind': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'blue-blind': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const toXyz: readonly Triple[] = [
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
];
const white = [0.95047, 1, 1.08883];

function apply(matrix: readonly Triple[], vector: Triple): number[] {
  return matrix.map((row) => row.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0));
}

function linear(hex: string): number[] {
  return [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
}

function lab(rgb: Triple): number[] {
  const inside = rgb.map((value) => Math.min(1, Math.max(0, value)));
  const [x = 0, y = 0, z = 0] = apply(toXyz, inside).map((value, at) => {
    const part = value / (white[at] ?? 1);
    return part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(a: Triple, b: Triple): number {
  return Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)));
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [a, b]
    .map((color) => apply(toXyz, linear(color))[1] ?? 0)
    .sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}
