/** The ledger of a range as a graph from sources to the outcomes of their messages. Pure. */
import type { Ledger, LedgerRow } from '../api/model';
import { happened, reasonOf } from './reasons';
import type { Flow, Node } from './sankey';

export type Kind =
  'source' | 'logspace' | 'destination' | 'dropped' | 'unacknowledged' | 'in_flight';

export type PlacedNode = Node & {
  kind: Kind;
  name: string;
  /** Whether this outcome was unintended. */
  isLoss: boolean;
};

export type Graph = {
  sources: readonly PlacedNode[];
  targets: readonly PlacedNode[];
  flows: readonly Flow[];
};

/** Maximum number of nodes; more would be illegible, so the others are drawn as one. */
const NAMES_MAX = 24;

const kinds: readonly Kind[] = [
  'logspace',
  'destination',
  'dropped',
  'unacknowledged',
  'in_flight',
];

export function graphOf({ rows }: Ledger): Graph {
  const seen = rows.filter((row) => row.received > 0 || outcomes(row).length > 0);
  const sources = shortened(
    seen.map((row) => ({
      key: `source:${row.source}`,
      kind: 'source',
      name: row.source,
      isLoss: false,
      count: row.received,
    })),
  );
  const targets = shortened(
    merged(seen.flatMap(outcomes)).toSorted(
      (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.count - a.count,
    ),
  );
  const flows = merged(
    seen.flatMap((row) => {
      const from = sources.keyOf(`source:${row.source}`, 'source');
      return outcomes(row).map(({ key, kind, count }) => {
        const to = targets.keyOf(key, kind);
        return { key: JSON.stringify([from, to]), from, to, count };
      });
    }),
  );
  return { sources: sources.places, targets: targets.places, flows };
}

/** All outcomes of a source's messages. */
function outcomes(row: LedgerRow): PlacedNode[] {
  const places = (kind: Kind, counts: LedgerRow['stored_in']): PlacedNode[] =>
    happened(counts).map(([id, count]) => ({
      key: `${kind}:${id}`,
      kind,
      name: id,
      isLoss: false,
      count,
    }));
  const one = (kind: Kind, name: string, isLoss: boolean, count: number): PlacedNode[] =>
    count > 0 ? [{ key: kind, kind, name, isLoss, count }] : [];
  return [
    ...places('logspace', row.stored_in),
    ...places('destination', row.forwarded_to),
    ...places('dropped', row.dropped).map((place): PlacedNode => {
      const { name, isLoss } = reasonOf(place.name);
      return { ...place, name: `dropped: ${name}`, isLoss };
    }),
    ...one('unacknowledged', 'unacknowledged', true, row.unacknowledged),
    ...one('in_flight', 'in flight', false, row.in_flight),
  ];
}

/** Merges items with the same key. */
function merged<Counted extends { key: string; count: number }>(
  parts: readonly Counted[],
): Counted[] {
  const whole = new Map<string, Counted>();
  for (const part of parts) {
    const count = (whole.get(part.key)?.count ?? 0) + part.count;
    whole.set(part.key, { ...part, count });
  }
  return [...whole.values()];
}

type Shortened = {
  places: PlacedNode[];
  /** The position of a node. */
  keyOf: (key: string, kind: Kind) => string;
};

/** The largest nodes, in their order, and the rest of each kind merged into one. */
function shortened(places: readonly PlacedNode[]): Shortened {
  if (places.length <= NAMES_MAX) return { places: [...places], keyOf: (key) => key };
  const largest = places.toSorted((a, b) => b.count - a.count).slice(0, NAMES_MAX);
  const kept = new Set(largest.map(({ key }) => key));
  const restKey = (kind: Kind) => `more:${kind}`;
  const shown = places.filter(({ key }) => kept.has(key));
  const rest = places.filter(({ key }) => !kept.has(key));
  const others = [...new Set(rest.map(({ kind }) => kind))].map((kind) => {
    const of = rest.filter((place) => place.kind === kind);
    const count = of.reduce((sum, place) => sum + place.count, 0);
    const isLoss = of.some((place) => place.isLoss);
    return { key: restKey(kind), kind, name: `${of.length} more`, isLoss, count };
  });
  return {
    places: [...shown, ...others],
    keyOf: (key, kind) => (kept.has(key) ? key : restKey(kind)),
  };
}
