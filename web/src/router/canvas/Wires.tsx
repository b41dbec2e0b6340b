/** What runs between the cards: as wide as its rate, red and dashed where it does not arrive, dotted where it ends. */
import { formatRate } from '../../ui/number';
import type { Layout, Strand, Wire } from './layout';
import { ROUTE_X, TRUNK_X } from './layout';
import type { Traffic } from './traffic';
import classes from './Canvas.module.css';

type Props = {
  layout: Layout;
  traffic: Traffic;
  /** Whether the rates are known. */
  isKnown: boolean;
  /** The route that is looked at. */
  chosen: number | null;
  /** Routes and targets that a traced message passes; null without one. */
  lit: ReadonlySet<string> | null;
  routeIds: readonly string[];
};

export function Wires({ layout, traffic, isKnown, chosen, lit, routeIds }: Props) {
  const isLit = (route: number | undefined, target?: string) =>
    lit !== null &&
    route !== undefined &&
    lit.has(routeIds[route] ?? '') &&
    (target === undefined || lit.has(target));
  const isChosen = ({ route, target }: Strand & { target?: string }) =>
    lit === null ? route !== undefined && route === chosen : isLit(route, target);
  // Those that are looked at lie above the others.
  const strands = [...layout.strands, ...layout.trunk];
  const above = [...strands.filter((one) => !isChosen(one)), ...strands.filter(isChosen)];
  const { rest } = layout;
  return (
    <svg className={classes.wires} width={layout.width} height={layout.height} aria-hidden="true">
      <defs>
        <linearGradient id="trunk-end" x1="0" x2="0" y1="0" y2="1">
          <stop offset="0" className={classes.fadeFrom} />
          <stop offset="1" className={classes.fadeTo} />
        </linearGradient>
      </defs>
      {rest !== null && (
        <rect
          x={rest.x}
          y={rest.y}
          width={rest.width}
          height={rest.height}
          fill="url(#trunk-end)"
        />
      )}
      {above.map((strand) => (
        <path
          key={strand.key}
          className={classes.wire}
          data-chosen={isChosen(strand)}
          d={strand.d}
          strokeWidth={strand.width}
        />
      ))}
      {layout.wires.map((wire) => (
        <path
          key={wire.key}
          className={classes.wire}
          data-kind={wire.kind}
          data-chosen={isChosen(wire)}
          d={wire.d}
          strokeWidth={wire.width}
        />
      ))}
      {isKnown && (
        <text className={classes.total} x={TRUNK_X + 16} y={28} textAnchor="middle">
          {formatRate(traffic.total)}/s
        </text>
      )}
      {isKnown &&
        layout.left.map(({ route, y }) => (
          <text key={route} className={classes.label} x={ROUTE_X - 34} y={y + 13}>
            {formatRate(traffic.routes[route]?.left ?? 0)}/s left
          </text>
        ))}
      {isKnown &&
        layout.wires.map((wire) => (
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
      return rate === 0 ? '' : `0 of ${formatRate(rate)}/s`;
    case 'drops':
      return `${formatRate(rate)}/s dropped`;
    case 'off':
      return 'off';
  }
}
