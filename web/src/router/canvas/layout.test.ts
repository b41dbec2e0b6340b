import { expect, test } from 'vitest';
import type { RouterStatus } from '../../api/model';
import type { RouterDocument } from '../document';
import { layoutOf } from './layout';
import { sharesOf } from './shares';
import { trafficOf } from './traffic';

const document: RouterDocument = {
  version: 1,
  sources: [{ id: 'syslog' }, { id: 'http' }],
  logspaces: [{ id: 'main' }, { id: 'app' }],
  destinations: [{ id: 'siem' }],
  routes: [
    { id: 'pay', to: ['app', 'siem'], final: true },
    { id: 'noise', to: [], final: true },
    { id: 'thin', to: ['main'], steps: [{ sample: 0.1 }], fallback: true },
  ],
};

const rated = (rates: Record<string, number>) =>
  Object.entries(rates).map(([id, messages_per_second]) => ({ id, messages_per_second }));

const status = {
  sources: rated({ syslog: 900, http: 100 }),
  routes: rated({ pay: 400, noise: 200, thin: 400 }).map((route) => ({
    ...route,
    messages: 1_000,
    steps: route.id === 'thin' ? [{ kind: 'sample', dropped: 900 }] : [],
  })),
  logspaces: rated({ main: 40, app: 400 }),
  destinations: [{ id: 'siem', messages_per_second: 0, state: 'retrying' }],
} as unknown as RouterStatus;

test('each route leaves the rest to the next', () => {
  const { total, routes } = trafficOf(document, status);
  expect(total).toBe(1000);
  expect(routes.map(({ left }) => left)).toEqual([600, 400, 0]);
});

test('a route that copies leaves everything', () => {
  const routes = document.routes.map(({ id = '', to = [] }) => ({ id, to }));
  const left = trafficOf({ ...document, routes }, status).routes.map((route) => route.left);
  expect(left).toEqual([1000, 1000, 1000]);
});

test('what is dropped is what no target gets, and what is not delivered is not dropped', () => {
  const { routes, edges } = trafficOf(document, status);
  expect(routes.map(({ drops }) => drops)).toEqual([0, 200, 360]);
  expect(edges).toContainEqual({ route: 0, target: 'siem', rate: 400, kind: 'fails' });
});

test('what steps take out is told by their counters since the look before', () => {
  const counted = (messages: number, dropped: number, kind = 'sample') =>
    ({ routes: [{ id: 'thin', messages, steps: [{ kind, dropped }] }] }) as unknown as RouterStatus;
  const share = (now: RouterStatus, earlier?: RouterStatus) => sharesOf(now, earlier).get('thin');
  expect(share(counted(1_000, 900))).toEqual([0.9]);
  expect(share(counted(1_100, 920), counted(1_000, 900))).toEqual([0.2]);
  // Nothing arrived, the process was restarted, or the step is a different one.
  expect(share(counted(1_000, 900), counted(1_000, 900))).toEqual([0.9]);
  expect(share(counted(10, 5), counted(1_000, 900))).toEqual([0.5]);
  expect(share(counted(1_100, 11, 'drop'), counted(1_000, 900))).toEqual([0.01]);
  expect(share(counted(0, 0))).toEqual([0]);
});

test('a route that is off takes nothing and feeds nothing', () => {
  const all = document.routes.map((route) => ({ ...route, enabled: false }));
  const { edges, routes } = trafficOf({ ...document, routes: all }, status);
  expect(edges).toEqual([]);
  expect(routes.every(({ left }) => left === 1000)).toBe(true);
});

test('a route that is not live yet has no rate', () => {
  const added = { ...document, routes: [{ id: 'new', to: ['main'] }] };
  expect(trafficOf(added, status).routes[0]?.takes).toBeUndefined();
});

test.each([0, 1, 6, 100])('nothing overlaps, and every wire ends at its target: %i', (count) => {
  const routes = Array.from({ length: count }, (_, at) => ({
    id: `r${at}`,
    to: [['main', 'app', 'siem'][at % 3] ?? ''],
  }));
  const many = { ...document, routes };
  const layout = layoutOf(many, trafficOf(many, status), new Set(['siem']));
  for (const boxes of [layout.sources, layout.routes, layout.targets]) {
    boxes.slice(1).forEach((box, at) => {
      const before = boxes[at];
      expect(box.y).toBeGreaterThanOrEqual((before?.y ?? 0) + (before?.height ?? 0));
    });
    for (const box of boxes) expect(box.y + box.height).toBeLessThanOrEqual(layout.height);
  }
  expect(layout.wires.filter(({ kind }) => kind !== 'drops')).toHaveLength(count);
  for (const wire of layout.wires) {
    const target = layout.targets.find(({ id }) => id === wire.target);
    const [x = 0, y = 0] = wire.d.split(' ').slice(-2).map(Number);
    expect(x).toBe(target?.x);
    expect(y).toBeGreaterThan(target?.y ?? Infinity);
    expect(y).toBeLessThan((target?.y ?? 0) + (target?.height ?? 0));
  }
});

test('targets stand in the order in which routes feed them', () => {
  const layout = layoutOf(document, trafficOf(document, status), new Set());
  expect(layout.targets.map(({ id }) => id)).toEqual(['app', 'siem', 'main']);
});

test('what is disabled has no strand, gets nothing, and leaves its messages to nobody', () => {
  const off = (list: typeof document.sources) => list.map((one) => ({ ...one, enabled: false }));
  const sources = [...off(document.sources.slice(0, 1)), ...document.sources.slice(1)];
  const turned = { ...document, sources, destinations: off(document.destinations) };
  const alone = { id: 'away', to: ['siem'] };
  const traffic = trafficOf({ ...turned, routes: [...document.routes, alone] }, {
    ...status,
    routes: [...status.routes, { ...status.routes[0], id: 'away', messages_per_second: 50 }],
  } as RouterStatus);
  expect(traffic.total).toBe(100);
  expect(traffic.edges).toContainEqual({ route: 0, target: 'siem', rate: 0, kind: 'off' });
  expect(traffic.routes.at(-1)?.drops).toBe(50);
  const layout = layoutOf(turned, trafficOf(turned, status), new Set());
  expect(layout.strands.map(({ key }) => key)).toEqual(['source-1']);
});

test('the trunk ends where the last route that is on turns off', () => {
  const last = (documents: RouterDocument) =>
    layoutOf(documents, trafficOf(documents, status), new Set());
  expect(last(document).rest).toBeNull();
  const routes = document.routes.map((route, at) => ({ ...route, enabled: at === 0 }));
  const { trunk, rest } = last({ ...document, routes });
  expect(trunk.map(({ key }) => key)).toEqual(['trunk-0', 'route-0']);
  expect(rest).toMatchObject({ route: 0, width: 32 - 12.8 });
});

test('the trunk is as wide as what runs in it', () => {
  const { trunk: all } = layoutOf(document, trafficOf(document, status), new Set());
  const trunk = all.filter(({ key }) => key.startsWith('trunk'));
  expect(trunk.map(({ width }) => width.toFixed(1))).toEqual(['32.0', '19.2', '12.8']);
});
