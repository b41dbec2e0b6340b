/**
 * The wires between the cards: as wide as their rate, red and dashed if messages do not arrive, dotted at their end.
 */
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
  /** The selected route. */
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
  // Selected strands are drawn above the others.
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
      {isKnown && layout.wires.map((wire) => <Label key={wire.key} wire={wire} />)}
    </svg>
  );
}

/** The outline of a closed tap, 24 by 24 like the other icons. */
const FILTER_OFF =
  'M8 4h12v2.172a2 2 0 0 1 -.586 1.414l-3.914 3.914m-.5 3.5v4l-6 2v-8.5l-4.48 -4.928a2 2 0 0 1 -.52 -1.345v-2.227M3 3l18 18';

function Label({ wire }: { wire: Wire }) {
  const { kind, label, width } = wire;
  const isDrop = kind === 'drops';
  const [x, y] = isDrop ? [label.x + 18, label.y + 16] : [label.x, label.y - width / 2 - 4];
  return (
    <g>
      {isDrop && (
        <path
          className={classes.dropIcon}
          d={FILTER_OFF}
          transform={`translate(${label.x} ${y - 11}) scale(0.58)`}
        />
      )}
      <text className={classes.label} data-kind={kind} x={x} y={y}>
        {labelOf(wire)}
      </text>
    </g>
  );
}

function labelOf({ kind, rate }: Wire): string {
  switch (kind) {
    case 'flows':
    case 'drops':
      return `${formatRate(rate)}/s`;
    case 'fails':
      return rate === 0 ? '' : `0 of ${formatRate(rate)}/s`;
    case 'off':
      return 'off';
  }
}
