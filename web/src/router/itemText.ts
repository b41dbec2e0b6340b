/** The texts about an item: its counters, and a summary in one line. */
import type { DocumentWarning, RouterStatus } from '../api/model';
import { formatRate } from '../ui/number';
import { type Item, type ItemPlace, type Section, listOf, textOf, valueAt } from './document';
import { warningOfRoute } from './problems';

/** `perSecond` is null until it is measured. */
type LiveItem = { perSecond: number | null; trouble?: string };

/** The counters of an item; undefined if only the draft has it. */
export function liveOf(
  status: RouterStatus | undefined,
  section: Section,
  id: string,
): LiveItem | undefined {
  switch (section) {
    case 'sources': {
      const source = status?.sources.find((one) => one.id === id);
      const failed = source?.listeners.some(({ state }) => state !== 'listening');
      return (
        source && {
          perSecond: source.messages_per_second,
          ...(failed && { trouble: 'not listening' }),
        }
      );
    }
    case 'routes': {
      const route = status?.routes.find((one) => one.id === id);
      return route && { perSecond: route.messages_per_second };
    }
    case 'logspaces': {
      const logspace = status?.logspaces.find((one) => one.id === id);
      const failing = logspace?.state === 'failing';
      return (
        logspace && {
          perSecond: logspace.messages_per_second,
          ...(failing && { trouble: 'failing' }),
        }
      );
    }
    case 'destinations': {
      const destination = status?.destinations.find((one) => one.id === id);
      const state = destination?.state;
      return (
        destination && {
          perSecond: destination.messages_per_second,
          ...((state === 'retrying' || state === 'paused' || state === 'disabled') && {
            trouble: state,
          }),
        }
      );
    }
  }
}

export function rateLabel(status: RouterStatus | undefined, live: LiveItem | undefined): string {
  if (status === undefined) return '';
  return live === undefined ? 'draft' : `${formatRate(live.perSecond)}/s`;
}

/** A one-line summary of an item. */
export function itemText(
  { section, index }: ItemPlace,
  item: Item,
  warnings: readonly DocumentWarning[],
): string {
  switch (section) {
    case 'sources':
      return aboutSource(item);
    case 'routes':
      return warningOfRoute(warnings, index) ?? aboutRoute(item);
    case 'logspaces':
      return aboutLogspace(item);
    case 'destinations':
      return listOf(item['to']).join(', ') || textOf(item['url']) || textOf(item['path']);
  }
}

/** The text for an empty section: what that means, and what to do. */
export const noneYet: Readonly<Record<Section, string>> = {
  sources:
    'No source yet, so nothing is received. Add one for each port or file that messages come from.',
  routes:
    'No route yet, so every message is dropped. Add one: without a filter it takes everything.',
  logspaces: 'No logspace yet, so nothing is stored and found. Add one for routes to send to.',
  destinations: 'None yet. Add one to send messages on to another system.',
};

function aboutSource(source: Item): string {
  const listen = listOf(source['listen']);
  if (listen.length > 0) return listenText(listen);
  const kind = textOf(source['kind']);
  return listOf(source['paths']).join(' ') || (kind === 'internal' ? 'own log' : kind);
}

/** `udp · tcp 5514, unix run/log.sock`: the shortest text for how to reach a source. */
export function listenText(listen: readonly string[]): string {
  const ways = new Map<string, string[]>();
  for (const address of listen) {
    const [, scheme = '', port = ''] = /^([a-z+]+):\/\/.*:(\d+)$/.exec(address) ?? [];
    const [, path = ''] = /^unix-[a-z]+:(.*)$/.exec(address) ?? [];
    const [where, how] = scheme !== '' ? [port, scheme] : [path || address, path && 'unix'];
    const known = ways.get(where) ?? [];
    if (!known.includes(how)) ways.set(where, [...known, how]);
  }
  return [...ways].map(([where, hows]) => `${hows.join(' · ')} ${where}`.trim()).join(', ');
}

function aboutRoute(route: Item): string {
  const filter = textOf(route['where']).trim();
  const flags = [
    route['final'] === true ? 'final' : '',
    route['fallback'] === true ? 'fallback' : '',
  ];
  const parts = [filter === '' || filter === '*' ? 'everything' : filter, ...flags];
  return parts.filter((part) => part !== '').join(' · ');
}

function aboutLogspace(logspace: Item): string {
  const limits = ['retention.age', 'retention.size'].map((key) => textOf(valueAt(logspace, key)));
  const kept = limits.filter((limit) => limit !== '').join(', ');
  return kept === '' ? 'keeps everything' : `keeps ${kept}`;
}
