/** The same balance over time. */
import { useMemo } from 'react';
import type { Ledger, LedgerPoint, LedgerStep } from '../api/model';
import { Bars } from '../ui/chart/Bars';
import type { Layer, Stack } from '../ui/chart/stack';
import { zoomedOut, zoomedTo } from '../ui/chart/zoom';
import { formatCount } from '../ui/number';
import type { TimeRange } from '../ui/range';
import { useZone } from '../ui/time';
import classes from './Flow.module.css';

type Props = { flow: Ledger; stale: boolean; onZoom: (range: TimeRange) => void };

export function Series({ flow, stale, onZoom }: Props) {
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
export function stackOf({ series, step }: Ledger): Stack {
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
