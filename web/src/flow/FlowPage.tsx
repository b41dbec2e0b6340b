/** Whether every message that was received is accounted for, and where it is. */
import { Skeleton } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { AGE_MAX_MS, type Freshness, useFreshness } from '../api/freshness';
import type { Ledger, LedgerPoint, LedgerStep } from '../api/model';
import { Empty } from '../ui/Empty';
import { PageLoadError } from '../ui/PageLoadError';
import { follow, useOpen } from '../ui/open';
import { type TimeRange, canRefresh } from '../ui/range';
import { formatTime, useZone } from '../ui/time';
import { Bars } from '../ui/chart/Bars';
import type { Layer, Stack } from '../ui/chart/stack';
import { zoomedOut, zoomedTo } from '../ui/chart/zoom';
import { formatCount } from '../ui/number';
import { Equation } from './Equation';
import { Sankey } from './Sankey';
import { DestinationTable, IsKnown, SourceTable } from './SourceTable';
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
        <div className={classes.picker}>{picker}</div>
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
        <p className={classes.since}>
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
    <div className={classes.loading} role="status" aria-label="Loading">
      <Skeleton height={68} />
      <Skeleton height={320} />
      <Skeleton height={200} />
    </div>
  );
}

type SeriesProps = { flow: Ledger; stale: boolean; onZoom: (range: TimeRange) => void };

/** The same balance over time. */
function Series({ flow, stale, onZoom }: SeriesProps) {
  const [zone] = useZone();
  const stack = useMemo(() => stackOf(flow), [flow]);
  const start = stack.times[0];
  const last = stack.times.at(-1);
  if (start === undefined || last === undefined) return null;
  return (
    <section className={classes.card} aria-label="Over time">
      <div className={classes.head}>
        <h2>Over time</h2>
        <ul className={classes.legend}>
          {stack.layers.map(({ label, color, total }) => (
            <li key={label}>
              <span className={classes.swatch} style={{ background: color }} />
              {label} <span className="dimmed">{formatCount(total)}</span>
            </li>
          ))}
        </ul>
        <span className="dimmed">per {nameOf(flow.step)}</span>
      </div>
      <Bars
        label="Messages over time by outcome, bar by bar"
        stack={stack}
        zone={zone}
        silent={[]}
        known={1}
        stale={stale}
        onZoom={(from, to) => onZoom(zoomedTo(from, to))}
        onZoomOut={() => onZoom(zoomedOut(start, last + stack.intervalMs, Date.now()))}
      />
    </section>
  );
}

type Outcome = 'stored' | 'forwarded' | 'dropped' | 'unacknowledged';

const looks: readonly (Pick<Layer, 'label' | 'color' | 'pattern'> & { of: Outcome })[] = [
  { of: 'dropped', label: 'Dropped', color: 'var(--bar-other)', pattern: 'diagonal' },
  { of: 'unacknowledged', label: 'Unacknowledged', color: 'var(--bar-error)', pattern: 'cross' },
  { of: 'stored', label: 'Stored', color: 'var(--bar-1)', pattern: 'none' },
  { of: 'forwarded', label: 'Forwarded only', color: 'var(--bar-2)', pattern: 'none' },
];

/** Losses are at the bottom, where small counts can be compared. */
function stackOf({ series, step }: Ledger): Stack {
  const layers = looks.map(({ of, ...look }): Layer => {
    const counts = series.map((point) => point[of]);
    return { value: null, ...look, counts, total: counts.reduce((sum, count) => sum + count, 0) };
  });
  const shown = layers.filter(({ total }) => total > 0);
  return {
    times: series.map(({ time }) => Date.parse(time)),
    intervalMs: stepMs(step),
    totals: series.map(({ received }) => received),
    highest: Math.max(...series.map(heightOf), 0),
    layers: shown.length > 0 ? shown : layers.filter(({ label }) => label === 'Stored'),
  };
}

function heightOf({ received, stored, forwarded, dropped, unacknowledged }: LedgerPoint): number {
  return Math.max(received, stored + forwarded + dropped + unacknowledged);
}

function stepMs(step: LedgerStep): number {
  switch (step) {
    case '1m':
      return 60_000;
    case '1h':
      return 3_600_000;
    case '1d':
      return 86_400_000;
  }
}

function nameOf(step: LedgerStep): string {
  switch (step) {
    case '1m':
      return 'minute';
    case '1h':
      return 'hour';
    case '1d':
      return 'day';
  }
}
