/** The running router: sources, routes in their order, targets, and the flow between them. */
import { Button, Menu } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconDatabase, IconMaximize, IconMinus, IconPlus, IconSend2 } from '@tabler/icons-react';
import {
  Background,
  type Node,
  type NodeTypes,
  Panel,
  ReactFlow,
  type ReactFlowInstance,
  ViewportPortal,
  useReactFlow,
  useViewport as useFlowViewport,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RouterStatus } from '../../api/model';
import { IconButton } from '../../ui/IconButton';
import { type Item, type ItemPlace, type Section, idOf, itemAt, nouns } from '../document';
import { AddButton } from '../AddButton';
import type { KnownDocument } from '../known';
import { noneYet } from '../itemText';
import { badgesOf, newSteps } from '../draft/badges';
import { stepsOf } from '../steps/steps';
import { QueueBadges } from './Badges';
import { Totals } from './Totals';
import { Wires } from './Wires';
import type { CardActions, CardData } from './cardData';
import { Card } from './cards';
import {
  MANY_ROUTES,
  ROUTE_WIDTH,
  ROUTE_X,
  SOURCE_WIDTH,
  TARGET_WIDTH,
  TARGET_X,
  TOP,
  layoutOf,
} from './layout';
import { moveFocus } from './moveFocus';
import type { Shares } from './shares';
import { disabledTargets, failingTargets, trafficOf } from './traffic';
import classes from './Canvas.module.css';

type Props = KnownDocument & {
  item: ItemPlace | null;
  lit: ReadonlySet<string> | null;
  onShow: (place: ItemPlace) => void;
  /** Null for users who may only look, like `actions`. */
  onAdd: ((section: Section) => void) | null;
  actions: CardActions | null;
};

const nodeTypes: NodeTypes = { card: Card };
const MARGIN = 24;
const ZOOM_MIN = 0.4;
/**
 * Minimum zoom for fitting the canvas, so that it stays readable; a larger canvas is scrolled
 * instead.
 */
const READABLE_ZOOM = 0.8;

/** The height of the legend, which is shown below the cards or not at all. */
const LEGEND_HEIGHT = 56;

const NO_STEPS: ReadonlySet<number> = new Set();

export default function Canvas(props: Props) {
  const { document, live, status, shares, measured, problems, warnings } = props;
  const { item, lit, onShow, onAdd, actions } = props;
  const { ref, width, height } = useElementSize<HTMLDivElement>();
  const [flow, setFlow] = useState<ReactFlowInstance<Node<CardData>> | null>(null);
  const holder = useRef<HTMLDivElement>(null);
  const series = useSeries(status);
  const traffic = useMemo(() => trafficOf(document, status, shares), [document, status, shares]);
  const failing = useMemo(() => {
    const off = disabledTargets(document);
    return new Set([...failingTargets(status)].filter((id) => !off.has(id)));
  }, [document, status]);
  const layout = useMemo(() => layoutOf(document, traffic, failing), [document, traffic, failing]);
  const { fit, reveal } = useViewport(flow, holder, width, layout.width);

  const node = (place: ItemPlace, box: CardData['box']): Node<CardData> => {
    const one = itemAt(document, place) ?? {};
    const isRoute = place.section === 'routes';
    const isSource = place.section === 'sources';
    return {
      id: `${place.section}-${place.index}`,
      type: 'card',
      position: { x: box.x, y: box.y },
      width: box.width,
      height: box.height,
      data: {
        ...{ item: one, place, box, status, measured, problems, warnings, onShow, actions },
        badges: badgesOf(live, place.section, one),
        newSteps: isRoute ? newSteps(live, one) : NO_STEPS,
        count: document[place.section].length,
        rate: isRoute ? traffic.routes[place.index]?.takes : undefined,
        drops: isRoute ? stepDrops(one, traffic.routes[place.index]?.takes, shares) : [],
        values: isSource ? (series.get(idOf(one)) ?? []) : [],
        isShown: item?.section === place.section && item.index === place.index,
        isLit: lit === null ? null : isSource || lit.has(idOf(one)),
        hasSteps: document.routes.length < MANY_ROUTES,
      },
    };
  };
  const nodes = [
    ...layout.sources.map((box, index) => node({ section: 'sources', index }, box)),
    ...layout.routes.map((box, index) => node({ section: 'routes', index }, box)),
    ...layout.targets.map((box) => node({ section: box.section, index: box.index }, box)),
  ];
  const boxOf = (id: string) => nodes.find((one) => one.id === id)?.data.box;
  return (
    <div
      ref={holder}
      className={classes.canvas}
      role="group"
      aria-label="Canvas"
      onKeyDown={(event) => {
        const box = boxOf(moveFocus(event) ?? '');
        if (box !== undefined) reveal(box);
      }}
    >
      <div ref={ref} className={classes.fill}>
        <ReactFlow
          nodes={nodes}
          nodeTypes={nodeTypes}
          onInit={setFlow}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          panOnScroll
          zoomOnDoubleClick={false}
          minZoom={ZOOM_MIN}
          maxZoom={1.5}
          translateExtent={[
            [-4 * MARGIN, -MARGIN],
            [layout.width + 4 * MARGIN, layout.height + 4 * MARGIN],
          ]}
          proOptions={{ hideAttribution: true }}
        >
          <Background gap={16} size={1} />
          <ViewportPortal>
            <div className={classes.under0}>
              <Wires
                layout={layout}
                traffic={traffic}
                isKnown={status !== undefined}
                chosen={item?.section === 'routes' ? item.index : null}
                lit={lit}
                routeIds={document.routes.map(idOf)}
              />
            </div>
            <QueueBadges {...{ document, layout, status, measured }} />
            <Totals {...layout.totals} fates={measured?.fates} />
            <Columns document={document} targets={layout.targets.length} onAdd={onAdd} />
          </ViewportPortal>
          <ZoomBar onFit={fit} />
        </ReactFlow>
      </div>
      {layout.height + LEGEND_HEIGHT < height && (
        <p className={classes.legend} aria-hidden="true">
          <span data-kind="flows" /> width is rate <span data-kind="drops" /> dropped by a rule{' '}
          <span data-kind="fails" /> not delivered
        </p>
      )}
    </div>
  );
}

type Box = { x: number; y: number; width: number; height: number };

/** Moves the canvas so that all of it fits, or so that a card is in view. */
function useViewport(
  flow: ReactFlowInstance<Node<CardData>> | null,
  holder: RefObject<HTMLElement | null>,
  width: number,
  layoutWidth: number,
) {
  const fit = useCallback(() => {
    if (flow === null || width === 0) return;
    const zoom = Math.max(READABLE_ZOOM, Math.min(1, (width - MARGIN) / layoutWidth));
    const x = Math.max(MARGIN / 2, (width - layoutWidth * zoom) / 2);
    void flow.setViewport({ x, y: 4, zoom });
  }, [flow, width, layoutWidth]);
  useEffect(fit, [fit]);
  const reveal = (box: Box) => {
    if (flow === null || holder.current === null) return;
    const { x, y, zoom } = flow.getViewport();
    const top = y + box.y * zoom;
    const room = holder.current.clientHeight;
    if (top >= 0 && top + box.height * zoom <= room) return;
    void flow.setViewport({ x, y: room / 2 - (box.y + box.height / 2) * zoom, zoom });
  };
  return { fit, reveal };
}

type ColumnsProps = Pick<Props, 'document' | 'onAdd'> & { targets: number };

/** The headers of the three columns, and buttons to add a first card to empty ones. */
function Columns({ document: { sources, routes }, targets, onAdd }: ColumnsProps) {
  return (
    <>
      <Head x={0} width={SOURCE_WIDTH} title="Sources" count={sources.length}>
        {onAdd !== null && <AddButton label="Add source" onClick={() => onAdd('sources')} />}
      </Head>
      <Head x={ROUTE_X} width={ROUTE_WIDTH} title="Routes, first match first">
        {onAdd !== null && <AddButton label="Add route" onClick={() => onAdd('routes')} />}
      </Head>
      <Head x={TARGET_X} width={TARGET_WIDTH} title="Targets" count={targets}>
        {onAdd !== null && <AddTarget onAdd={onAdd} />}
      </Head>
      {sources.length === 0 && <None x={0} width={SOURCE_WIDTH} section="sources" onAdd={onAdd} />}
      {routes.length === 0 && (
        <None x={ROUTE_X} width={ROUTE_WIDTH} section="routes" onAdd={onAdd} />
      )}
      {targets === 0 && (
        <None x={TARGET_X} width={TARGET_WIDTH} section="logspaces" onAdd={onAdd} />
      )}
    </>
  );
}

type HeadProps = {
  x: number;
  width: number;
  title: string;
  count?: number;
  children: React.ReactNode;
};

function Head({ x, width, title, count, children }: HeadProps) {
  return (
    <div className={classes.head} style={{ left: x, width }}>
      <h2>
        {title} {count !== undefined && <span className="regular dimmed">{count}</span>}
      </h2>
      {children}
    </div>
  );
}

type NoneProps = Pick<Props, 'onAdd'> & { x: number; width: number; section: Section };

/** Takes the place of the first card in an empty column. */
function None({ x, width, section, onAdd }: NoneProps) {
  return (
    <div className={classes.none} style={{ left: x, width, top: TOP }}>
      <p>{noneYet[section]}</p>
      {onAdd !== null && (
        <Button variant="light" onClick={() => onAdd(section)}>
          Add a {nouns[section].toLowerCase()}
        </Button>
      )}
    </div>
  );
}

/** The rate of messages that each step removes; empty if the live route has other steps. */
function stepDrops(route: Item, takes: number | undefined, shares: Shares): number[] {
  const own = shares.get(idOf(route)) ?? [];
  return own.length === stepsOf(route).length ? own.map((share) => share * (takes ?? 0)) : [];
}

function AddTarget({ onAdd }: { onAdd: (section: Section) => void }) {
  return (
    <Menu position="bottom-end" portalProps={{ target: '#content' }}>
      <Menu.Target>
        <AddButton label="Add a target" />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconDatabase size={15} />} onClick={() => onAdd('logspaces')}>
          Logspace: stores messages
        </Menu.Item>
        <Menu.Item leftSection={<IconSend2 size={15} />} onClick={() => onAdd('destinations')}>
          Destination: forwards them
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The zoom of the canvas, and the buttons that change it. */
function ZoomBar({ onFit }: { onFit: () => void }) {
  const { zoomIn, zoomOut } = useReactFlow();
  const { zoom } = useFlowViewport();
  return (
    <Panel position="bottom-left" className={classes.zoom ?? ''}>
      <IconButton icon={IconMinus} iconSize={14} label="Zoom out" onClick={() => void zoomOut()} />
      <span>{Math.round(100 * zoom)} %</span>
      <IconButton icon={IconPlus} iconSize={14} label="Zoom in" onClick={() => void zoomIn()} />
      <IconButton icon={IconMaximize} iconSize={14} label="Fit the width" onClick={onFit} />
    </Panel>
  );
}

/** One sample per second. */
const SAMPLES_MAX = 60;

type SeriesOf = ReadonlyMap<string, readonly number[]>;

/** The rates of the last minute, for as long as the page is open: each new status is a sample. */
function useSeries(status: RouterStatus | undefined): SeriesOf {
  const [seen, setSeen] = useState<{ status: RouterStatus | undefined; series: SeriesOf }>({
    status: undefined,
    series: new Map(),
  });
  if (status === undefined || status === seen.status) return seen.series;
  const series = new Map(
    status.sources.map(({ id, messages_per_second: rate }) => [
      id,
      [...(seen.series.get(id) ?? []), ...(rate === null ? [] : [rate])].slice(-SAMPLES_MAX),
    ]),
  );
  setSeen({ status, series });
  return series;
}
