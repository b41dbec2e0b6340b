/** The rates along each part of the router, as far as its counters show them. Pure. */
import type { RouterStatus } from '../../api/model';
import { type Item, type RouterDocument, idOf, isOff, listOf } from '../document';
import { type Shares, sharesOf } from './shares';

export type RouteTraffic = {
  /** The rate of messages that the route takes; undefined if it is not live, or not measured. */
  takes: number | undefined;
  /** The rate of messages that are left for later routes. */
  left: number;
  /** The rate of messages that its steps drop, or for which it has no target. */
  drops: number;
};

export type EdgeTraffic = {
  route: number;
  target: string;
  rate: number;
  /** Whether messages arrive, wait, or are not sent at all because the target is disabled. */
  kind: 'flows' | 'fails' | 'off';
};

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
  const rates = (list: readonly { id: string; messages_per_second: number | null }[] = []) =>
    new Map(
      list.flatMap(({ id, messages_per_second: rate }) => (rate === null ? [] : [[id, rate]])),
    );
  const bySource = rates(status?.sources);
  const byRoute = rates(status?.routes);
  const failing = failingTargets(status);
  const off = disabledTargets(document);
  const rateOf = (item: Item, rates: ReadonlyMap<string, number>) =>
    isOff(item) ? 0 : rates.get(idOf(item));
  const sources = document.sources.map((source) => rateOf(source, bySource));
  const total = sources.reduce<number>((sum, rate) => sum + (rate ?? 0), 0);
  let left = total;
  const edges: EdgeTraffic[] = [];
  const routes = document.routes.map((route, index): RouteTraffic => {
    const takes = rateOf(route, byRoute);
    const rate = takes ?? 0;
    if (!isOff(route) && (route['final'] === true || route['fallback'] === true))
      left = Math.max(0, left - rate);
    const targets = isOff(route) ? [] : listOf(route['to']);
    const share = (shares.get(idOf(route)) ?? []).reduce((sum, one) => sum + one, 0);
    const isLeft = targets.some((target) => !off.has(target));
    const drops = isLeft ? rate * Math.min(1, share) : rate;
    for (const target of targets) {
      const kind = off.has(target) ? 'off' : failing.has(target) ? 'fails' : 'flows';
      edges.push({ route: index, target, rate: kind === 'off' ? 0 : rate - drops, kind });
    }
    return { takes, left, drops };
  });
  return { total, sources, routes, edges };
}

/** The targets that messages currently do not reach. */
export function failingTargets(status: RouterStatus | undefined): ReadonlySet<string> {
  return new Set([
    ...(status?.destinations ?? [])
      .filter(({ state, queue_error }) => state === 'retrying' || queue_error != null)
      .map(({ id }) => id),
    ...(status?.logspaces ?? []).filter(({ state }) => state === 'failing').map(({ id }) => id),
  ]);
}

/** The targets that the document disables. */
export function disabledTargets(document: RouterDocument): ReadonlySet<string> {
  return new Set(document.destinations.filter(isOff).map(idOf));
}
