import { expect, test } from 'vitest';
import { zoomedOut, zoomedTo } from './zoom';

test('zooming in names both ends', () => {
  expect(zoomedTo(0, 60_000)).toEqual({
    kind: 'between',
    from: '1970-01-01T00:00:00.000Z',
    to: '1970-01-01T00:01:00.000Z',
  });
});

test('zooming out doubles the span and never ends in the future', () => {
  const from = '1970-01-01T00:00:30.000Z';
  expect(zoomedOut(60_000, 120_000, 999_999)).toEqual({
    kind: 'between',
    from,
    to: '1970-01-01T00:02:30.000Z',
  });
  expect(zoomedOut(60_000, 120_000, 130_000)).toEqual({ kind: 'between', from, to: null });
});
