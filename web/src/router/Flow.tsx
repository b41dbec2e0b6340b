/** Sources on the left, routes in their order, logspaces and destinations on the right; lines show what feeds what. */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { RouterStatus } from '../api/model';
import { formatCount } from '../ui/number';
import { Nodes, type NodesProps } from './Nodes';
import { liveOf } from './about';
import { type RouterDocument, type Section, idOf, nounOf } from './document';
import { type Edge, edgeWidth, flowHeight, inputEdges, outputEdges } from './flow';
import classes from './Flow.module.css';

const GUTTER_PX = 64;

type Props = NodesProps & { onAdd: ((section: Section) => void) | null };

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
