/** The layout of the bars and ribbons of a flow from left to right. Pure. */

export type Node = { key: string; count: number };
export type Flow = { from: string; to: string; count: number };

export type Size = { width: number; height: number };

export type Bar = { key: string; count: number; y: number; height: number };
export type Ribbon = Flow & { path: string };

export type Layout = {
  left: readonly Bar[];
  right: readonly Bar[];
  ribbons: readonly Ribbon[];
  /** The height needed; it exceeds the requested one if there are too many names. */
  height: number;
};

export const BAR_PX = 10;
/** The height of a bar's name, however thin the bar is. */
const NAME_PX = 20;
const GAP_PX = 6;
/** Everything above zero must be visible, however small it is. */
const THIN_PX = 1.5;
/** Number of bisections after which the scale is exact to far less than a pixel. */
const HALVINGS = 40;

/**
 * Lays out the nodes in the order given. The height of a bar is the flow through it, which may
 * exceed the count given for it.
 */
export function layoutFlow(
  left: readonly Node[],
  right: readonly Node[],
  flows: readonly Flow[],
  size: Size,
): Layout {
  const known = new Set([...left, ...right].map(({ key }) => key));
  const real = flows.filter(({ from, to, count }) => known.has(from) && known.has(to) && count > 0);
  const lefts = left.map((node) => loaded(node, real, 'from'));
  const rights = right.map((node) => loaded(node, real, 'to'));
  const height = Math.max(size.height, room(lefts, 0), room(rights, 0));
  const scale = Math.min(scaleFor(lefts, height), scaleFor(rights, height));
  const leftBars = stacked(lefts, scale, height);
  const rightBars = stacked(rights, scale, height);
  return {
    left: leftBars,
    right: rightBars,
    ribbons: ribbonsOf(real, leftBars, rightBars, scale, size.width),
    height,
  };
}

function loaded(node: Node, flows: readonly Flow[], end: 'from' | 'to'): Node {
  const through = flows.filter((flow) => flow[end] === node.key);
  return {
    ...node,
    count: Math.max(
      node.count,
      through.reduce((sum, { count }) => sum + count, 0),
    ),
  };
}

function tall(count: number, scale: number): number {
  return count > 0 ? Math.max(count * scale, THIN_PX) : 0;
}

/** The height of a column. */
function room(nodes: readonly Node[], scale: number): number {
  const slots = nodes.map(({ count }) => Math.max(tall(count, scale), NAME_PX));
  return slots.reduce((sum, slot) => sum + slot + GAP_PX, -GAP_PX);
}

/** The largest number of pixels per message with which a column fits. */
function scaleFor(nodes: readonly Node[], height: number): number {
  const total = nodes.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return 0;
  let [fits, tooMuch] = [0, height / total];
  if (room(nodes, tooMuch) <= height) return tooMuch;
  for (let at = 0; at < HALVINGS; at += 1) {
    const middle = (fits + tooMuch) / 2;
    if (room(nodes, middle) <= height) fits = middle;
    else tooMuch = middle;
  }
  return fits;
}

/** Places nodes one below the other, with the remaining space distributed between them. */
function stacked(nodes: readonly Node[], scale: number, height: number): Bar[] {
  const free = Math.max(height - room(nodes, scale), 0);
  const gap = GAP_PX + (nodes.length > 1 ? free / (nodes.length - 1) : 0);
  let top = 0;
  return nodes.map(({ key, count }) => {
    const high = tall(count, scale);
    const slot = Math.max(high, NAME_PX);
    const bar = { key, count, y: top + (slot - high) / 2, height: high };
    top += slot + gap;
    return bar;
  });
}

/**
 * The ribbons. Those that leave a bar are in the order of their targets, so that they cross as
 * little as possible.
 */
function ribbonsOf(
  flows: readonly Flow[],
  left: readonly Bar[],
  right: readonly Bar[],
  scale: number,
  width: number,
): Ribbon[] {
  const order = (bars: readonly Bar[]) => new Map(bars.map(({ key }, at) => [key, at]));
  const [fromOrder, toOrder] = [order(left), order(right)];
  const tops = new Map([...left, ...right].map(({ key, y }) => [key, y]));
  const place = (flow: Flow) => [fromOrder.get(flow.from) ?? 0, toOrder.get(flow.to) ?? 0] as const;
  const sorted = flows.toSorted((a, b) => {
    const [[fromA, toA], [fromB, toB]] = [place(a), place(b)];
    return fromA - fromB || toA - toB;
  });
  return sorted.map((flow) => {
    const high = Math.max(flow.count * scale, THIN_PX);
    const from = tops.get(flow.from) ?? 0;
    const to = tops.get(flow.to) ?? 0;
    tops.set(flow.from, from + flow.count * scale);
    tops.set(flow.to, to + flow.count * scale);
    return { ...flow, path: ribbon(from, to, high, width) };
  });
}

function ribbon(from: number, to: number, high: number, width: number): string {
  const [start, end, middle] = [BAR_PX, round(width - BAR_PX), round(width / 2)];
  const [a, b, c, d] = [from, to, to + high, from + high].map(round);
  return `M${start} ${a}C${middle} ${a} ${middle} ${b} ${end} ${b}V${c}C${middle} ${c} ${middle} ${d} ${start} ${d}z`;
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
