/** Where the lines between sources, routes and targets run. Rows have one height, so nothing needs measuring. */
import { type RouterDocument, idOf, listOf } from './document';

export const NODE_PX = 48;
export const GAP_PX = 8;
/** The heading between the logspaces and the destinations, which share a column. */
export const HEAD_PX = 36;

export type Edge = { key: string; fromY: number; toY: number; source?: number; route: number };

/** Lines from sources to routes. A route that names no source listens to all of them. */
export function inputEdges(document: RouterDocument): Edge[] {
  return document.routes.flatMap((route, index) => {
    const from = listOf(route['from']);
    return document.sources.flatMap((source, at) =>
      from.length === 0 || from.includes(idOf(source))
        ? [{ key: `${at}-${index}`, fromY: rowY(at), toY: rowY(index), source: at, route: index }]
        : [],
    );
  });
}

/** Lines from routes to the logspaces and destinations that they name. */
export function outputEdges(document: RouterDocument): Edge[] {
  const logspaceCount = document.logspaces.length;
  const ys = new Map([
    ...document.logspaces.map((item, at) => [idOf(item), rowY(at)] as const),
    ...document.destinations.map(
      (item, at) => [idOf(item), rowY(logspaceCount + at) + HEAD_PX] as const,
    ),
  ]);
  return document.routes.flatMap((route, index) =>
    listOf(route['to']).flatMap((id) => {
      const toY = ys.get(id);
      return toY === undefined
        ? []
        : [{ key: `${index}-${id}`, fromY: rowY(index), toY, route: index }];
    }),
  );
}

/** The height that the longest column takes. */
export function flowHeight({ sources, routes, logspaces, destinations }: RouterDocument): number {
  const targets = rowY(logspaces.length + destinations.length) + HEAD_PX;
  return Math.max(rowY(sources.length), rowY(routes.length), targets) - NODE_PX / 2;
}

/** A line a little wider for ten times the messages. */
export function edgeWidth(perSecond: number): number {
  return 1.5 + Math.min(4, Math.log10(1 + perSecond));
}

/** The middle of a row. */
function rowY(row: number): number {
  return row * (NODE_PX + GAP_PX) + NODE_PX / 2;
}
