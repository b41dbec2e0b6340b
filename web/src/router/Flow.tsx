/** Sources on the left, routes in their order, logspaces and destinations on the right; lines show who feeds whom. */
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { DocumentProblem, RouterStatus } from '../api/model';
import { formatCount, formatRate } from '../ui/number';
import {
  type Item,
  type ItemPlace,
  type RouterDocument,
  type Section,
  idOf,
  listOf,
  nounOf,
  textOf,
  valueAt,
} from './document';
import { type Edge, edgeWidth, flowHeight, inputEdges, outputEdges } from './flow';
import { problemsOfItem, warningOfRoute } from './problems';
import classes from './Flow.module.css';

const GUTTER_PX = 64;

type Props = {
  document: RouterDocument;
  status: RouterStatus | undefined;
  problems: readonly DocumentProblem[];
  warnings: readonly string[];
  shown: ItemPlace | null;
  onShow: (place: ItemPlace) => void;
  onAdd: ((section: Section) => void) | null;
};

export function Flow(props: Props) {
  const { document, status, onAdd } = props;
  const rateOf = (edge: Edge) => edgeRate(edge, document, status);
  const chosen = props.shown?.section === 'routes' ? props.shown.index : null;
  const height = flowHeight(document);
  return (
    <div className={classes.flow}>
      <div>
        <Head title="Sources" section="sources" onAdd={onAdd} />
        <Nodes {...props} section="sources" />
      </div>
      <Lines edges={inputEdges(document)} height={height} chosen={chosen} rateOf={rateOf} />
      <div>
        <Head title="Routes, in order" section="routes" onAdd={onAdd} />
        <Nodes {...props} section="routes" />
        {status !== undefined && status.unrouted_messages > 0 && (
          <p className={classes.unrouted}>
            {formatCount(status.unrouted_messages)} messages were taken by no route.
          </p>
        )}
      </div>
      <Lines edges={outputEdges(document)} height={height} chosen={chosen} rateOf={rateOf} />
      <div>
        <Head title="Logspaces" section="logspaces" onAdd={onAdd} />
        <Nodes {...props} section="logspaces" />
        <Head title="Destinations" section="destinations" onAdd={onAdd} />
        <Nodes {...props} section="destinations" />
      </div>
    </div>
  );
}

/** At most what the route takes; from one source, at most what it has. */
function edgeRate(edge: Edge, document: RouterDocument, status: RouterStatus | undefined): number {
  const ofRoute = liveOf(status, 'routes', idOf(document.routes[edge.route] ?? {}));
  const route = ofRoute?.perSecond ?? 0;
  if (edge.source === undefined) return route;
  const ofSource = liveOf(status, 'sources', idOf(document.sources[edge.source] ?? {}));
  return Math.min(route, ofSource?.perSecond ?? 0);
}

type HeadProps = { title: string; section: Section; onAdd: Props['onAdd'] };

function Head({ title, section, onAdd }: HeadProps) {
  const label = `Add ${nounOf(section).toLowerCase()}`;
  return (
    <div className={classes.head}>
      <h2>{title}</h2>
      {onAdd !== null && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          leftSection={<IconPlus size={14} />}
          aria-label={label}
          onClick={() => onAdd(section)}
        >
          Add
        </Button>
      )}
    </div>
  );
}

type LinesProps = {
  edges: readonly Edge[];
  height: number;
  chosen: number | null;
  rateOf: (edge: Edge) => number;
};

function Lines({ edges, height, chosen, rateOf }: LinesProps) {
  const middle = GUTTER_PX / 2;
  return (
    <svg className={classes.lines} width={GUTTER_PX} height={height} aria-hidden="true">
      {edges.map((edge) => (
        <path
          key={edge.key}
          className={classes.line}
          data-chosen={edge.route === chosen}
          data-flows={rateOf(edge) > 0}
          strokeWidth={edgeWidth(rateOf(edge))}
          d={`M0 ${edge.fromY}C${middle} ${edge.fromY} ${middle} ${edge.toY} ${GUTTER_PX} ${edge.toY}`}
        />
      ))}
    </svg>
  );
}

function Nodes({
  document,
  status,
  problems,
  warnings,
  shown,
  onShow,
  section,
}: Props & { section: Section }) {
  const items = document[section];
  if (items.length === 0) return <p className={classes.none}>None yet.</p>;
  return (
    <ul className={classes.nodes}>
      {items.map((item, index) => {
        const place = { section, index };
        const live = liveOf(status, section, idOf(item));
        const wrong = problemsOfItem(problems, place).length;
        const name = idOf(item) === '' ? 'without a name' : idOf(item);
        return (
          <li key={index}>
            <button
              type="button"
              className={classes.node}
              aria-label={`${nounOf(section)} ${name}`}
              aria-pressed={shown?.section === section && shown.index === index}
              data-bad={wrong > 0}
              onClick={() => onShow(place)}
            >
              <span className={classes.top}>
                <span className={classes.name}>
                  {section === 'routes' && <span className={classes.order}>{index + 1}</span>}
                  {name}
                </span>
                <span className={classes.rate}>{rateLabel(status, live)}</span>
              </span>
              <span className={classes.bottom}>
                <span className={classes.about}>{aboutOf(section, item, warnings)}</span>
                {wrong > 0 && <Trouble>{wrong === 1 ? '1 problem' : `${wrong} problems`}</Trouble>}
                {wrong === 0 && live?.trouble !== undefined && <Trouble>{live.trouble}</Trouble>}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Trouble({ children }: { children: ReactNode }) {
  return (
    <span className={classes.trouble}>
      <IconAlertTriangle size={14} aria-hidden /> {children}
    </span>
  );
}

type LiveItem = { perSecond: number; trouble?: string };

/** The counters of an item; undefined when it is in the draft alone. */
function liveOf(
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
      const retrying = destination?.state === 'retrying';
      return (
        destination && {
          perSecond: destination.messages_per_second,
          ...(retrying && { trouble: 'retrying' }),
        }
      );
    }
  }
}

function rateLabel(status: RouterStatus | undefined, live: LiveItem | undefined): string {
  if (status === undefined) return '';
  return live === undefined ? 'draft' : `${formatRate(live.perSecond)}/s`;
}

/** One line that says what an item does. */
function aboutOf(section: Section, item: Item, warnings: readonly string[]): string {
  switch (section) {
    case 'sources':
      return listOf(item['listen'] ?? item['paths']).join(' ') || textOf(item['kind']);
    case 'routes':
      return warningOfRoute(warnings, idOf(item)) ?? aboutRoute(item);
    case 'logspaces':
      return aboutLogspace(item);
    case 'destinations':
      return textOf(item['to']) || textOf(item['path']);
  }
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
