/** Whether every message that was received is accounted for, and where it is. */
import { Skeleton } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AGE_MAX_MS, type Freshness, useFreshness } from '../api/freshness';
import type { Ledger } from '../api/model';
import { Empty } from '../ui/Empty';
import { PageLoadError } from '../ui/PageLoadError';
import { follow, useOpen } from '../ui/open';
import { type TimeRange, canRefresh } from '../ui/range';
import { formatTime, useZone } from '../ui/time';
import { DestinationTable } from './DestinationTable';
import { Equation } from './Equation';
import { IsKnown } from './Figure';
import { Sankey } from './Sankey';
import { Series } from './Series';
import { SourceTable } from './SourceTable';
import { flowQuery, sourceQuery } from './flowQueries';
import type { PlacedNode } from './graph';
import { countersHref, reasonHref, searchHref } from './links';
import { sumOf } from './reasons';
import classes from './Flow.module.css';

type Props = {
  range: TimeRange;
  /** The range picker. */
  picker?: ReactNode;
  onRange: (range: TimeRange) => void;
};

export function FlowPage({ range, picker, onRange }: Props) {
  const open = useOpen();
  const asked = useQuery(flowQuery(range));
  const { data: flow, error, refetch, isPlaceholderData: stale } = asked;
  // The numbers of a range that is over do not change any more.
  const known = useFreshness([asked], canRefresh(range) ? AGE_MAX_MS : Infinity);
  return (
    <div className={classes.page} onClick={(event) => follow(event, open)}>
      <div className={classes.title}>
        <h1>Flow</h1>
        <p className="dimmed">What became of every message that was received.</p>
        <div className="toEnd">{picker}</div>
      </div>
      {error !== null && (
        <PageLoadError error={error} isFilled={flow !== undefined} onRetry={() => void refetch()} />
      )}
      {flow === undefined && error === null && <Loading />}
      {flow !== undefined && <Balance {...{ flow, known, range, stale, onRange }} />}
    </div>
  );
}

type BalanceProps = Pick<Props, 'range' | 'onRange'> & {
  flow: Ledger;
  known: Freshness;
  stale: boolean;
};

function Balance({ flow, known, range, stale, onRange }: BalanceProps) {
  const [zone] = useZone();
  const queries = useSourceQueries(flow);
  const { rows, total, destinations } = flow;
  const isEmpty = rows.every(
    (row) =>
      row.received + row.in_flight + sumOf(row.lost_before) + sumOf(row.skipped_bytes) === 0 &&
      row.remainder === 0,
  );
  return (
    <IsKnown value={known.isKnown}>
      {flow.known_since != null && (
        <p className="dimmed">
          Counted since {formatTime(flow.known_since, zone).slice(0, 16)}: of the time before
          nothing is known here.
        </p>
      )}
      {isEmpty ? (
        <Empty title="Nothing was received in this time">
          <p>
            Choose a longer time at the top, or see on the Router page whether the sources listen.
          </p>
        </Empty>
      ) : (
        <>
          <Equation total={total} known={known} />
          <Sankey flow={flow} hrefOf={(place) => hrefOf(place, range, queries)} />
          <Series flow={flow} stale={stale} onZoom={onRange} />
          <SourceTable rows={rows} total={total} range={range} queries={queries} />
        </>
      )}
      {destinations.length > 0 && <DestinationTable destinations={destinations} />}
    </IsKnown>
  );
}

/** A search for each source that received something, as far as the server has written it. */
function useSourceQueries({ rows }: Ledger): ReadonlyMap<string, string> {
  return useQueries({
    queries: rows.map(({ source }) => sourceQuery(source)),
    combine: (answers) =>
      new Map(
        rows.flatMap(({ source }, at) => {
          const query = answers[at]?.data;
          return query === undefined ? [] : [[source, query] as const];
        }),
      ),
  });
}

function hrefOf(
  { kind, name, key }: PlacedNode,
  range: TimeRange,
  queries: ReadonlyMap<string, string>,
): string | undefined {
  if (key.startsWith('more:')) return undefined;
  switch (kind) {
    case 'source': {
      const query = queries.get(name);
      return query === undefined ? undefined : searchHref(query, range);
    }
    case 'logspace':
      return searchHref('', range, name);
    case 'destination':
      return countersHref;
    case 'dropped':
      return reasonHref(key.slice(key.indexOf(':') + 1));
    case 'unacknowledged':
    case 'in_flight':
      return undefined;
  }
}

function Loading() {
  return (
    <div className="stack gap12" role="status" aria-label="Loading">
      <Skeleton height={68} />
      <Skeleton height={320} />
      <Skeleton height={200} />
    </div>
  );
}
