import { expect, test } from 'vitest';
import { type Flow, type Layout, type Node, layoutFlow } from './sankey';

const size = { width: 600, height: 300 };

function nodes(counts: Record<string, number>): Node[] {
  return Object.entries(counts).map(([key, count]) => ({ key, count }));
}

function expectInOrder({ left, right, height }: Layout) {
  for (const bars of [left, right]) {
    bars.forEach((bar, at) => {
      const before = bars[at - 1];
      expect(bar.y).toBeGreaterThanOrEqual(before === undefined ? 0 : before.y + before.height);
      expect(bar.y + bar.height).toBeLessThanOrEqual(height + 0.01);
      // Their names do not overlap either.
      const middle = bar.y + bar.height / 2;
      if (before !== undefined) {
        expect(middle - (before.y + before.height / 2)).toBeGreaterThanOrEqual(20);
      }
    });
  }
}

test('bars are as high as what goes through them, on one scale', () => {
  const flows = [
    { from: 'a', to: 'x', count: 300 },
    { from: 'a', to: 'y', count: 100 },
    { from: 'b', to: 'y', count: 200 },
  ];
  const layout = layoutFlow(nodes({ a: 400, b: 200 }), nodes({ x: 300, y: 300 }), flows, size);
  const heights = [...layout.left, ...layout.right].map(({ height }) => height);
  const [a = 0] = heights;
  [1, 0.5, 0.75, 0.75].forEach((share, at) => {
    expect(heights[at]).toBeCloseTo(share * a, 5);
  });
  expect(layout.height).toBe(size.height);
  expectInOrder(layout);
  expect(layout.ribbons.map(({ from, to }) => from + to)).toEqual(['ax', 'ay', 'by']);
});

test('a copy makes the bar of its source higher', () => {
  const flows = [
    { from: 'a', to: 'x', count: 100 },
    { from: 'a', to: 'y', count: 100 },
  ];
  const layout = layoutFlow(nodes({ a: 100 }), nodes({ x: 0, y: 0 }), flows, size);
  expect(layout.left[0]?.count).toBe(200);
});

test('one message among millions is seen', () => {
  const flows = [
    { from: 'a', to: 'x', count: 1e12 },
    { from: 'a', to: 'y', count: 1 },
  ];
  const layout = layoutFlow(nodes({ a: 1e12 }), nodes({ x: 0, y: 0 }), flows, size);
  expect(layout.right[1]?.height).toBe(1.5);
  expectInOrder(layout);
});

test('many names take more height than was asked for', () => {
  const left = nodes(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`s${at}`, at])));
  const flows: Flow[] = left.map(({ key, count }) => ({ from: key, to: 'x', count }));
  const layout = layoutFlow(left, nodes({ x: 0 }), flows, size);
  expect(layout.height).toBeGreaterThan(size.height);
  expectInOrder(layout);
});

test('nothing at all, and what leads nowhere, is laid out too', () => {
  expect(layoutFlow([], [], [], size)).toEqual({ left: [], right: [], ribbons: [], height: 300 });
  const lost = [{ from: 'a', to: 'gone', count: 5 }];
  const layout = layoutFlow(nodes({ a: 0 }), nodes({ x: 0 }), lost, size);
  expect(layout.ribbons).toEqual([]);
  expect(layout.left).toEqual([expect.objectContaining({ key: 'a', height: 0 })]);
  expect(JSON.stringify(layout)).not.toMatch(/null|NaN/);
});
