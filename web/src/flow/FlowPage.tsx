/** Whether every message that was received is accounted for, and where it is. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { IconAlertTriangle, IconCircleCheck, IconHelpCircle } from '@tabler/icons-react';
import { AGE_MAX_MS, type Freshness, useFreshness } from '../api/freshness';
import type { Ledger, LedgerCounts, LedgerPoint, LedgerStep } from '../api/model';
import { Empty } from '../ui/Empty';
import { Loading } from '../ui/Loading';
import { PageLoadError } from '../ui/PageLoadError';
import { follow, useOpen } from '../ui/open';
import { type TimeRange, canRefresh } from '../ui/range';
import { formatTime, useZone } from '../ui/time';
import { Bars } from '../ui/chart/Bars';
import type { Layer, Stack } from '../ui/chart/stack';
import { zoomedOut, zoomedTo } from '../ui/chart/zoom';
import { formatBytes, formatCount } from '../ui/number';
import { staleText } from '../ui/staleText';
import { skippedSum, skippedText } from '../ui/skipped';
import { Sankey } from './Sankey';
import { DestinationTable, IsKnown, SourceTable } from './SourceTable';
import { flowQuery, sourceQuery } from './flowQueries';
import type { PlacedNode } from './graph';
import { countersHref, reasonHref, searchHref } from './links';
import { reasonsText, sumOf } from './reasons';
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
  // The numbers of a past range no longer change.
  const known = useFreshness([asked], canRefresh(range) ? AGE_MAX_MS : Infinity);
  return (
    <div className={classes.page} onClick={(event) => follow(event, open)}>
      <div className={classes.title}>
        <h1>Flow</h1>
        <p className="dimmed">What became of every message that was received.</p>
        <div className="toEnd">{picker}</div>
      </div>
      <PageLoadError error={error} isFilled={flow !== undefined} onRetry={() => void refetch()} />
      {flow === undefined && error === null && <Loading heights={[68, 320, 200]} />}
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

/** A search for each source that received something, once the server has returned its query. */
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
        <ul className="flex wrap gap4x16 grow ink">
          {stack.layers.map(({ label, color, total }) => (
            <li key={label}>
              <span className={classes.swatch} style={{ background: color }} />
              {label} <span className="dimmed">{formatCount(total)}</span>
            </li>
          ))}
        </ul>
        <span className="dimmed">per {steps[flow.step].name}</span>
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
    intervalMs: steps[step].ms,
    totals: series.map(({ received }) => received),
    highest: Math.max(...series.map(heightOf), 0),
    layers: shown.length > 0 ? shown : layers.filter(({ label }) => label === 'Stored'),
  };
}

function heightOf({ received, stored, forwarded, dropped, unacknowledged }: LedgerPoint): number {
  return Math.max(received, stored + forwarded + dropped + unacknowledged);
}

const steps: Readonly<Record<LedgerStep, { name: string; ms: number }>> = {
  '1m': { name: 'minute', ms: 60_000 },
  '1h': { name: 'hour', ms: 3_600_000 },
  '1d': { name: 'day', ms: 86_400_000 },
};

type Term = {
  name: string;
  count: number;
  /** Replaces the count. */
  text?: string;
  about?: string;
  isBad?: boolean;
};

type AmountProps = Term & {
  /** The sign before the term. */
  sign?: string;
};

/** The whole range in one line: the number of received messages, and where all of them are. */
function Equation({ total, known }: { total: LedgerCounts; known: Freshness }) {
  const lost = sumOf(total.lost_before);
  const skipped = skippedSum(total.skipped_bytes);
  const terms: Term[] = [
    { name: 'Stored', count: total.stored },
    { name: 'Forwarded only', count: total.forwarded },
    {
      name: 'Dropped',
      count: sumOf(total.dropped),
      about: reasonsText(total.dropped, formatCount),
    },
    {
      name: 'Unacknowledged',
      count: total.unacknowledged,
      about: 'Lost with the process before anyone was told that they are safe.',
    },
    { name: 'In flight', count: total.in_flight },
  ];
  return (
    <section className="flex wrap clip panel round8" aria-label="Balance">
      <dl className={classes.terms}>
        <Amount name="Received" count={total.received} />
        {terms.map((term, at) => (
          <Amount key={term.name} sign={at === 0 ? '=' : '+'} {...term} />
        ))}
      </dl>
      {lost > 0 && (
        <dl className={classes.lost}>
          <Amount
            name="Lost before us"
            count={lost}
            about={`Known to have been lost on the way, so not received: ${reasonsText(total.lost_before, formatCount)}.`}
            isBad
          />
        </dl>
      )}
      {skipped > 0 && (
        <dl className={classes.lost}>
          <Amount
            name="In no message"
            count={skipped}
            text={formatBytes(skipped)}
            about={`Bytes that were received and that no message holds: ${skippedText(total.skipped_bytes)}.`}
            isBad
          />
        </dl>
      )}
      <Verdict remainder={total.remainder} skipped={skipped} known={known} />
    </section>
  );
}

function Amount({ name, count, text, about, isBad = false, sign }: AmountProps) {
  return (
    <div className={classes.amount} title={about} data-bad={isBad} data-sign={sign}>
      <dt>{name}</dt>
      <dd data-zero={count === 0}>{text ?? formatCount(count)}</dd>
    </div>
  );
}

/** The verdict. Balanced messages say nothing about bytes that did not become messages. */
function Verdict({
  remainder,
  skipped,
  known,
}: {
  remainder: number;
  skipped: number;
  known: Freshness;
}) {
  const [zone] = useZone();
  if (!known.isKnown) {
    return (
      <p className={classes.verdict} data-unknown>
        <IconHelpCircle size={18} aria-hidden /> {staleText(known, zone)}
      </p>
    );
  }
  if (remainder === 0 && skipped > 0) {
    return (
      <p className={classes.verdict} data-caution>
        <IconAlertTriangle size={18} aria-hidden />
        <span>
          {formatBytes(skipped)} in no message
          <span className="block small regular">The messages are balanced.</span>
        </span>
      </p>
    );
  }
  if (remainder === 0) {
    return (
      <p className={classes.verdict}>
        <IconCircleCheck size={18} aria-hidden /> Balanced
      </p>
    );
  }
  const sign = remainder < 0 ? '\u2212' : '';
  return (
    <p className={classes.verdict} data-bad role="alert">
      <IconAlertTriangle size={18} aria-hidden />
      <span>
        {sign}
        {formatCount(Math.abs(remainder))} not accounted for
        <span className="block small regular">A fault of the server: please report it.</span>
      </span>
    </p>
  );
}
