/**
 * A diagram with sources on the left and the outcomes of their messages on the right; the width of
 * a ribbon is the number of messages.
 */
import { useElementSize } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { Ledger } from '../api/model';
import { formatCount, formatMessages } from '../ui/number';
import { type Graph, type PlacedNode, graphOf } from './graph';
import { BAR_PX, type Bar, type Layout, layoutFlow } from './sankey';
import classes from './Flow.module.css';

/** Minimum height: with few nodes, a broader band would not say more. */
const HEIGHT_MIN_PX = 64;
const PLACE_PX = 40;
const HEIGHT_MAX_PX = 320;
/** Minimum width at which the names on the right are beside their bars. */
const WIDE_PX = 640;
const MARGIN_PX = 232;

type Props = { flow: Ledger; hrefOf: (place: PlacedNode) => string | undefined };

export function Sankey({ flow, hrefOf }: Props) {
  const { ref, width } = useElementSize();
  const graph = useMemo(() => graphOf(flow), [flow]);
  return (
    <section className={classes.card} aria-label="From sources to where messages are">
      <div className={classes.columns} aria-hidden>
        <span>Received through</span>
        <span style={width < WIDE_PX ? {} : { width: MARGIN_PX + BAR_PX }}>Ended up in</span>
      </div>
      <div ref={ref} className={classes.drawing}>
        {width > 0 && <Drawing graph={graph} width={width} hrefOf={hrefOf} />}
      </div>
    </section>
  );
}

type DrawingProps = { graph: Graph; width: number; hrefOf: Props['hrefOf'] };

function Drawing({ graph, width, hrefOf }: DrawingProps) {
  const isWide = width >= WIDE_PX;
  const inner = isWide ? width - MARGIN_PX : width;
  const layout = useMemo(() => {
    const places = Math.max(graph.sources.length, graph.targets.length);
    const height = Math.min(HEIGHT_MIN_PX + places * PLACE_PX, HEIGHT_MAX_PX);
    return layoutFlow(graph.sources, graph.targets, graph.flows, { width: inner, height });
  }, [graph, inner]);
  const [pointed, setPointed] = useState<string | null>(null);
  const places = new Map([...graph.sources, ...graph.targets].map((place) => [place.key, place]));
  const column = (bars: readonly Bar[], side: Side) =>
    bars.map((bar) => {
      const place = places.get(bar.key);
      return (
        place && (
          <Name
            key={bar.key}
            bar={bar}
            place={place}
            side={side}
            width={inner}
            href={hrefOf(place)}
            onPoint={setPointed}
          />
        )
      );
    });
  return (
    <svg className={classes.sankey} width={width} height={layout.height}>
      <Ribbons layout={layout} places={places} pointed={pointed} />
      {column(layout.left, 'left')}
      {column(layout.right, isWide ? 'beside' : 'right')}
    </svg>
  );
}

type RibbonsProps = {
  layout: Layout;
  places: ReadonlyMap<string, PlacedNode>;
  pointed: string | null;
};

/** The tables contain the same numbers. */
function Ribbons({ layout, places, pointed }: RibbonsProps) {
  const nameOf = (key: string) => places.get(key)?.name ?? '';
  return (
    <g aria-hidden data-pointed={pointed !== null} className={classes.ribbons}>
      {layout.ribbons.map(({ from, to, count, path }) => (
        <path
          key={`${from} ${to}`}
          className={classes.ribbon}
          data-tone={toneOf(places.get(to))}
          data-on={pointed === from || pointed === to}
          d={path}
        >
          <title>{`${nameOf(from)} → ${nameOf(to)}: ${formatCount(count)}`}</title>
        </path>
      ))}
    </g>
  );
}

/** `beside`: the bar is on the right, with its name outside the diagram. */
type Side = 'left' | 'right' | 'beside';

type NameProps = {
  bar: Bar;
  place: PlacedNode;
  side: Side;
  width: number;
  href: string | undefined;
  onPoint: (key: string | null) => void;
};

function Name({ bar, place, side, width, href, onPoint }: NameProps) {
  const x = side === 'left' ? 0 : width - BAR_PX;
  const textX = side === 'right' ? x - 8 : x + BAR_PX + 8;
  const content = (
    <>
      <rect
        className={classes.bar}
        data-tone={toneOf(place)}
        x={x}
        y={bar.y}
        width={BAR_PX}
        height={bar.height}
        rx={2}
      />
      <text
        className={classes.label}
        x={textX}
        y={bar.y + bar.height / 2 + 4}
        textAnchor={side === 'right' ? 'end' : 'start'}
      >
        <tspan className={classes.labelName}>{place.name}</tspan>
        <tspan dx={8}>{formatCount(place.count)}</tspan>
      </text>
    </>
  );
  const pointing = {
    onPointerEnter: () => onPoint(bar.key),
    onPointerLeave: () => onPoint(null),
  };
  if (href === undefined) return <g {...pointing}>{content}</g>;
  return (
    <a
      href={href}
      className={classes.place}
      aria-label={`${place.name}: ${formatMessages(place.count)}`}
      onFocus={() => onPoint(bar.key)}
      onBlur={() => onPoint(null)}
      {...pointing}
    >
      {content}
    </a>
  );
}

type Tone = 'source' | 'kept' | 'sent' | 'wanted' | 'lost' | 'moving';

function toneOf(place: PlacedNode | undefined): Tone {
  switch (place?.kind) {
    case undefined:
    case 'source':
      return 'source';
    case 'logspace':
      return 'kept';
    case 'destination':
      return 'sent';
    case 'dropped':
      return place.isLoss ? 'lost' : 'wanted';
    case 'unacknowledged':
      return 'lost';
    case 'in_flight':
      return 'moving';
  }
}
