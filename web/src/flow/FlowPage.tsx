/** Whether every message that was received is accounted for, and where it is. */
import { Skeleton } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Ledger } from '../api/model';
import { Empty } from '../ui/Empty';
import { Notice } from '../ui/Notice';
import { follow } from '../ui/open';
import type { TimeRange } from '../ui/range';
import { DestinationTable } from './DestinationTable';
import { Equation } from './Equation';
import { Sankey } from './Sankey';
import { Series } from './Series';
import { SourceTable } from './SourceTable';
import { flowQuery, sourceQuery } from './flowQueries';
import type { Place } from './graph';
import { countersHref, reasonHref, searchHref } from './links';
import { sumOf } from './reasons';
import classes from './Flow.module.css';

type Props = {
  range: TimeRange;
  /** Where it is chosen. */
  picker?: ReactNode;
  onRange: (range: TimeRange) => void;
  /** Goes to an address of the console. */
  onOpen: (href: string) => void;
};

export function FlowPage({ range, picker, onRange, onOpen }: Props) {
  const { data: flow, error, refetch, isPlaceholderData: stale } = useQuery(flowQuery(range));
  return (
    <div className={classes.page} onClick={(event) => follow(event, onOpen)}>
      <div className={classes.title}>
        <h1>Flow</h1>
        <p className="dimmed">Every message that was received is accounted for once.</p>
        <div className={classes.picker}>{picker}</div>
      </div>
      {error !== null && (
        <Notice tone="error" title={error.message} onRetry={() => void refetch()} />
      )}
      {flow === undefined && error === null && <Loading />}
      {flow !== undefined && <Balance flow={flow} range={range} stale={stale} onRange={onRange} />}
    </div>
  );
}

type BalanceProps = { flow: Ledger; range: TimeRange; stale: boolean; onRange: Props['onRange'] };

function Balance({ flow, range, stale, onRange }: BalanceProps) {
  const queries = useSourceQueries(flow);
  const { rows, total, destinations } = flow;
  const isEmpty = rows.every(
    (row) =>
      row.received + row.in_flight + sumOf(row.lost_before) + sumOf(row.skipped_bytes) === 0 &&
      row.remainder === 0,
  );
  return (
    <>
      {isEmpty ? (
        <Empty title="Nothing was received in this time">
          <p>
            Choose a longer time at the top, or see on the Router page whether the sources listen.
          </p>
        </Empty>
      ) : (
        <>
          <Equation total={total} />
          <Sankey flow={flow} hrefOf={(place) => hrefOf(place, range, queries)} />
          <Series flow={flow} stale={stale} onZoom={onRange} />
          <SourceTable rows={rows} total={total} range={range} queries={queries} />
        </>
      )}
      {destinations.length > 0 && <DestinationTable destinations={destinations} />}
    </>
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
  { kind, name, key }: Place,
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
    <div className={classes.loading} role="status" aria-label="Loading">
      <Skeleton height={68} />
      <Skeleton height={320} />
      <Skeleton height={200} />
    </div>
  );
}
