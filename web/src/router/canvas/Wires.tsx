/** What runs between the cards: as wide as its rate, red and dashed where it does not arrive, dotted where it ends. */
import { formatRate } from '../../ui/number';
import type { Layout, Wire } from './layout';
import { ROUTE_X, TRUNK_X } from './layout';
import type { Traffic } from './traffic';
import classes from './Canvas.module.css';

type Props = {
  layout: Layout;
  traffic: Traffic;
  /** The route that is looked at. */
  chosen: number | null;
  /** Routes and targets that a traced message passes; null without one. */
  lit: ReadonlySet<string> | null;
  routeIds: readonly string[];
};

export function Wires({ layout, traffic, chosen, lit, routeIds }: Props) {
  const isLit = (route: number | undefined, target?: string) =>
    lit !== null &&
    route !== undefined &&
    lit.has(routeIds[route] ?? '') &&
    (target === undefined || lit.has(target));
  return (
    <svg className={classes.wires} width={layout.width} height={layout.height} aria-hidden="true">
      {layout.strands.map(({ key, d, width, route }) => (
        <path
          key={key}
          className={classes.wire}
          data-chosen={lit === null ? route !== undefined && route === chosen : isLit(route)}
          d={d}
          strokeWidth={width}
        />
      ))}
      {layout.wires.map((wire) => (
        <path
          key={wire.key}
          className={classes.wire}
          data-kind={wire.kind}
          data-chosen={lit === null ? wire.route === chosen : isLit(wire.route, wire.target)}
          d={wire.d}
          strokeWidth={wire.width}
        />
      ))}
      <text className={classes.total} x={TRUNK_X - 16} y={28}>
        {formatRate(traffic.total)}/s
      </text>
      {layout.left.map(({ route, y }) => (
        <text key={route} className={classes.label} x={ROUTE_X - 34} y={y + 13}>
          {formatRate(traffic.routes[route]?.left ?? 0)}/s left
        </text>
      ))}
      {layout.wires.map((wire) => (
        <text
          key={wire.key}
          className={classes.label}
          data-kind={wire.kind}
          x={wire.label.x}
          y={wire.label.y + (wire.kind === 'drops' ? 16 : -wire.width / 2 - 4)}
        >
          {labelOf(wire)}
        </text>
      ))}
    </svg>
  );
}

function labelOf({ kind, rate }: Wire): string {
  switch (kind) {
    case 'flows':
      return `${formatRate(rate)}/s`;
    case 'fails':
      return `0 of ${formatRate(rate)}/s`;
    case 'drops':
      return `${formatRate(rate)}/s dropped`;
  }
}
