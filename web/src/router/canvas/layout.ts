/**
 * The layout of the canvas: sources, routes and targets in three columns, in the order of the document, and a trunk
 * between the first two that gets thinner by what each route takes. The same document always looks the same. Pure.
 */
import { type RouterDocument, idOf, isOff, listOf } from '../document';
import type { Traffic } from './traffic';

export type Box = { x: number; y: number; width: number; height: number };

export type TargetBox = Box & { section: 'logspaces' | 'destinations'; index: number; id: string };

export type Strand = { key: string; d: string; width: number; route?: number };

export type Wire = Strand & {
  kind: 'flows' | 'fails' | 'drops' | 'off';
  route: number;
  target?: string;
  /** The position at which its label starts. */
  label: { x: number; y: number };
  rate: number;
};

export type Layout = {
  width: number;
  height: number;
  sources: Box[];
  /** The box of the totals, below the sources. */
  totals: { x: number; y: number; width: number };
  routes: Box[];
  targets: TargetBox[];
  /** The strands from the sources to the trunk. */
  strands: Strand[];
  /** The trunk, which ends at the bend of the last route. */
  trunk: Strand[];
  /** The part of the trunk that continues beyond the last route and fades out. */
  rest: (Box & { route: number }) | null;
  wires: Wire[];
  /** The messages that are left between two routes, shown at `y`, after the route. */
  left: { route: number; y: number }[];
};

export const TOP = 48;
export const SOURCE_WIDTH = 184;
const SOURCE: Box = { x: 0, y: TOP, width: SOURCE_WIDTH, height: 60 };
export const ROUTE_X = 292;
export const ROUTE_WIDTH = 276;
export const TARGET_X = 708;
export const TARGET_WIDTH = 228;
/** The height of the card of a destination that cannot be reached. */
export const DOWN_HEIGHT = 136;
const TOTALS_HEIGHT = 150;
export const TRUNK_X = 220;
const TRUNK_WIDTH_MAX = 32;
const STRAND_MIN = 1.6;
/** The inner radius of a bend. */
const BEND = 10;
/** The number of routes from which on their cards have no row for steps. */
export const MANY_ROUTES = 15;

export function layoutOf(
  document: RouterDocument,
  traffic: Traffic,
  failing: ReadonlySet<string>,
): Layout {
  const sources = column(document.sources.length, SOURCE, 16);
  const tall = document.routes.length < MANY_ROUTES;
  const first = { x: ROUTE_X, y: TOP, width: ROUTE_WIDTH, height: tall ? 88 : 60 };
  const routes = column(document.routes.length, first, 28);
  const targets = targetBoxes(document, failing);
  const scale = TRUNK_WIDTH_MAX / Math.max(traffic.total, 1);
  const widthOf = (rate: number) => Math.min(TRUNK_WIDTH_MAX, Math.max(STRAND_MIN, rate * scale));
  const lastSource = sources.at(-1);
  const totalsY = lastSource === undefined ? TOP + 150 : lastSource.y + lastSource.height + 20;
  const bottoms = [...sources, ...routes, ...targets].map(({ y, height }) => y + height);
  return {
    width: TARGET_X + TARGET_WIDTH,
    height: Math.max(TOP + 60, totalsY + TOTALS_HEIGHT, ...bottoms),
    sources,
    totals: { x: 0, y: totalsY, width: SOURCE.width },
    routes,
    targets,
    strands: [...sourceStrands(document, sources, traffic, widthOf), ...joinBelow(sources, routes)],
    ...trunkOf(routes, traffic, widthOf, document),
    wires: wiresOf(routes, targets, traffic, widthOf),
    left: routes.slice(0, -1).map(({ y, height }, route) => ({ route, y: y + height + 4 })),
  };
}

function column(count: number, first: Box, gap: number): Box[] {
  return Array.from({ length: count }, (_, at) => ({
    ...first,
    y: first.y + at * (first.height + gap),
  }));
}

/**
 * Targets are ordered by the first route that feeds each, so that wires hardly cross; targets that
 * nothing feeds come last.
 */
function targetBoxes(document: RouterDocument, failing: ReadonlySet<string>): TargetBox[] {
  const feeder = (id: string) => {
    const at = document.routes.findIndex((route) => listOf(route['to']).includes(id));
    return at === -1 ? document.routes.length : at;
  };
  const all = (['logspaces', 'destinations'] as const).flatMap((section) =>
    document[section].map((item, index) => ({ section, index, id: idOf(item) })),
  );
  let y = TOP;
  return all
    .map((target) => ({ ...target, at: feeder(target.id) }))
    .sort((a, b) => a.at - b.at)
    .map(({ section, index, id }) => {
      const height = failing.has(id) ? DOWN_HEIGHT : 60;
      const box = { section, index, id, x: TARGET_X, y, width: TARGET_WIDTH, height };
      y += height + 16;
      return box;
    });
}

type Width = (rate: number) => number;

function sourceStrands(
  document: RouterDocument,
  sources: Box[],
  traffic: Traffic,
  widthOf: Width,
): Strand[] {
  return sources.flatMap((box, at) => {
    if (isOff(document.sources[at] ?? {})) return [];
    const y = middle(box);
    const d = `M${box.x + box.width} ${y}H${TRUNK_X + 1}`;
    return [{ key: `source-${at}`, d, width: widthOf(traffic.sources[at] ?? 0) }];
  });
}

/** Sources that are lower than the last route join the trunk from below. */
function joinBelow(sources: Box[], routes: Box[]): Strand[] {
  const [source, route] = [sources.at(-1), routes.at(-1)];
  if (source === undefined || route === undefined || middle(source) < middle(route)) return [];
  const d = `M${TRUNK_X + 1} ${middle(source)}V${middle(route) - BEND - STRAND_MIN}`;
  return [{ key: 'below', d, width: STRAND_MIN }];
}

/**
 * The trunk's left edge is straight; each route turns off at its right edge, in a bend as wide as what it takes. The last
 * route that is on ends it; what it leaves goes on for a little.
 */
function trunkOf(
  routes: Box[],
  traffic: Traffic,
  widthOf: Width,
  document: RouterDocument,
): Pick<Layout, 'trunk' | 'rest'> {
  const trunk: Strand[] = [];
  const last = document.routes.findLastIndex((route) => !isOff(route));
  let [from, rate] = [TOP - 12, traffic.total];
  let rest: Layout['rest'] = null;
  routes.forEach((box, route) => {
    if (route > last) return;
    const { takes = 0, left } = traffic.routes[route] ?? { left: rate };
    const [width, own] = [widthOf(rate), widthOf(takes)];
    if (!isOff(document.routes[route] ?? {})) {
      const y = middle(box);
      const radius = BEND + own / 2;
      const turn = y - radius;
      const x = TRUNK_X + Math.max(width - own / 2, own / 2);
      const d = `M${x} ${TOP - 12}V${turn}A${radius} ${radius} 0 0 0 ${x + radius} ${y}H${box.x}`;
      // The trunk is drawn below the route's strand, so that there is no gap between them: what is left ends at its
      // own bend.
      trunk.push({ key: `trunk-${route}`, d: `M${TRUNK_X + width / 2} ${from}V${turn}`, width });
      trunk.push({ key: `route-${route}`, d, width: own, route });
      if (route === last && width > own + STRAND_MIN)
        rest = { x: TRUNK_X, y: turn - 0.5, width: width - own, height: radius + own / 2, route };
      from = turn;
    }
    rate = left;
  });
  return { trunk, rest };
}

function wiresOf(routes: Box[], targets: TargetBox[], traffic: Traffic, widthOf: Width): Wire[] {
  const places = new Map(targets.map((box) => [box.id, box]));
  const arrivals = new Map<string, number>();
  return routes.flatMap((box, route) => {
    const edges = traffic.edges.filter((edge) => edge.route === route && places.has(edge.target));
    const drops = traffic.routes[route]?.drops ?? 0;
    const ends = edges.length + (drops > 0 ? 1 : 0);
    const exit = (at: number) => box.y + (box.height * (at + 1)) / (ends + 1);
    const x = box.x + box.width;
    const wires = edges.map((edge, at): Wire => {
      const target = places.get(edge.target) ?? SOURCE;
      const feeds = traffic.edges.filter((one) => one.target === edge.target).length;
      const arrival = (arrivals.get(edge.target) ?? 0) + 1;
      arrivals.set(edge.target, arrival);
      const [from, to] = [exit(at), target.y + (60 * arrival) / (feeds + 1)];
      const bend = (x + 44 + TARGET_X) / 2;
      return {
        key: `wire-${route}-${edge.target}`,
        kind: edge.kind,
        d: `M${x} ${from}H${x + 44}C${bend} ${from} ${bend} ${to} ${TARGET_X} ${to}`,
        width: edge.kind === 'flows' ? widthOf(edge.rate) : 2,
        route,
        target: edge.target,
        label: { x: x + 6, y: from },
        rate: edge.rate,
      };
    });
    if (drops > 0) {
      const y = exit(edges.length);
      wires.push({
        key: `drop-${route}`,
        kind: 'drops',
        d: `M${x} ${y}h48`,
        width: Math.min(6, widthOf(drops)),
        route,
        label: { x: x + 6, y },
        rate: drops,
      });
    }
    return wires;
  });
}

function middle({ y, height }: Box): number {
  return y + height / 2;
}
