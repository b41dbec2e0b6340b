/** How many messages a second go along each part of the router, as far as its counters tell. Pure. */
import type { RouterStatus } from '../../api/model';
import { type RouterDocument, idOf, listOf } from '../document';
import { type Shares, sharesOf } from './shares';

export type RouteTraffic = {
  /** What the route takes; undefined for one that is not live. */
  takes: number | undefined;
  /** What is left for the routes behind it. */
  left: number;
  /** What its steps drop, or what it has no target for. */
  drops: number;
};

export type EdgeTraffic = { route: number; target: string; rate: number; fails: boolean };

export type Traffic = {
  total: number;
  sources: readonly (number | undefined)[];
  routes: readonly RouteTraffic[];
  edges: readonly EdgeTraffic[];
};

export function trafficOf(
  document: RouterDocument,
  status: RouterStatus | undefined,
  shares: Shares = sharesOf(status),
): Traffic {
  const rates = (list: readonly { id: string; messages_per_second: number }[] = []) =>
    new Map(list.map((one) => [one.id, one.messages_per_second]));
  const bySource = rates(status?.sources);
  const byRoute = rates(status?.routes);
  const failing = failingTargets(status);
  const sources = document.sources.map((source) => bySource.get(idOf(source)));
  const total = sources.reduce<number>((sum, rate) => sum + (rate ?? 0), 0);
  let left = total;
  const edges: EdgeTraffic[] = [];
  const routes = document.routes.map((route, index): RouteTraffic => {
    const isOn = route['enabled'] !== false;
    const takes = isOn ? byRoute.get(idOf(route)) : 0;
    const rate = takes ?? 0;
    if (isOn && (route['final'] === true || route['fallback'] === true))
      left = Math.max(0, left - rate);
    const targets = isOn ? listOf(route['to']) : [];
    const share = (shares.get(idOf(route)) ?? []).reduce((sum, one) => sum + one, 0);
    const drops = targets.length === 0 ? rate : rate * Math.min(1, share);
    for (const target of targets)
      edges.push({ route: index, target, rate: rate - drops, fails: failing.has(target) });
    return { takes, left, drops };
  });
  return { total, sources, routes, edges };
}

/** Targets that messages do not reach for now. */
export function failingTargets(status: RouterStatus | undefined): ReadonlySet<string> {
  return new Set([
    ...(status?.destinations ?? [])
      .filter(({ state, queue_error }) => state === 'retrying' || queue_error != null)
      .map(({ id }) => id),
    ...(status?.logspaces ?? []).filter(({ state }) => state === 'failing').map(({ id }) => id),
  ]);
}
