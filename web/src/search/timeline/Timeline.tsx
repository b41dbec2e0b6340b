/** How many messages match over time, by the values of a field; where nothing came in; and the way to a closer look. */
import { NativeSelect, Skeleton, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useMemo } from 'react';
import type { Histogram } from '../../api/model';
import { Bars } from '../../ui/chart/Bars';
import { type Layer, silences, stackOf } from '../../ui/chart/stack';
import { formatSpan } from '../../ui/chart/ticks';
import { formatCount } from '../../ui/number';
import type { TimeRange } from '../../ui/range';
import { useZone } from '../../ui/time';
import { type Summary, receivedQuery } from '../queries';
import { type SearchState, isEverything } from '../searchParams';
import { zoomedOut, zoomedTo } from '../../ui/chart/zoom';
import classes from './Timeline.module.css';

type Props = {
  state: SearchState;
  /** What is known so far. */
  summary: Summary | undefined;
  /** Whether that is of the question before, while this one is worked on. */
  stale?: boolean;
  onZoom: (range: TimeRange) => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onChange: (part: Partial<SearchState>) => void;
};

export function Timeline(props: Props) {
  const { state, summary, stale = false, onZoom, onFilter, onChange } = props;
  const [isOpen, setOpen] = useLocalStorage({ key: 'logstead-timeline', defaultValue: true });
  const histogram = summary?.histogram;
  return (
    <section className={classes.timeline} aria-label="Messages over time">
      <div className={classes.head}>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <IconChevronDown size={14} aria-hidden />
          Over time
        </UnstyledButton>
        {isOpen && histogram !== undefined && (
          <Legend histogram={histogram} split={state.split} onFilter={onFilter} />
        )}
        <span className={classes.rest}>
          {histogram !== undefined && histogram.later > 0 && (
            <UnstyledButton className={classes.later} onClick={() => onZoom({ kind: 'all' })}>
              {formatCount(histogram.later)} dated later than now
            </UnstyledButton>
          )}
          {isOpen && histogram !== undefined && histogram.interval_ms > 0 && (
            <span className={classes.span}>per {formatSpan(histogram.interval_ms)}</span>
          )}
          {isOpen && <SplitSelect state={state} onChange={onChange} />}
        </span>
      </div>
      {isOpen && histogram === undefined && (
        <Skeleton className={classes.before ?? ''} height={80} />
      )}
      {isOpen && histogram !== undefined && (
        <Chart
          state={state}
          histogram={histogram}
          known={summary?.fraction ?? 1}
          stale={stale}
          onZoom={onZoom}
        />
      )}
    </section>
  );
}

type ChartProps = {
  state: SearchState;
  histogram: Histogram;
  known: number;
  stale: boolean;
  onZoom: Props['onZoom'];
};

function Chart({ state, histogram, known, stale, onZoom }: ChartProps) {
  const [zone] = useZone();
  const stack = useMemo(() => stackOf(histogram, state.split), [histogram, state.split]);
  const isAll = isEverything(state.query);
  const { data: received } = useQuery({ ...receivedQuery(state), enabled: !isAll });
  const everything = isAll ? histogram : received;
  const silent = useMemo(() => silences(stack, everything), [stack, everything]);
  const start = stack.times[0];
  const last = stack.times.at(-1);
  if (start === undefined || last === undefined) {
    return <p className={classes.nothing}>Nothing to chart yet.</p>;
  }
  return (
    <Bars
      label="Messages over time, bar by bar"
      stack={stack}
      zone={zone}
      silent={known < 1 ? [] : silent}
      known={known}
      stale={stale}
      onZoom={(from, to) => onZoom(zoomedTo(from, to))}
      onZoomOut={() => onZoom(zoomedOut(start, last + stack.intervalMs, Date.now()))}
    />
  );
}

type LegendProps = { histogram: Histogram; split: string; onFilter: Props['onFilter'] };

function Legend({ histogram, split, onFilter }: LegendProps) {
  const { layers } = useMemo(() => stackOf(histogram, split), [histogram, split]);
  if (split === '') return null;
  return (
    <ul className={classes.legend} aria-label={`Bars by ${split}`}>
      {layers.map((layer) => (
        <li key={layer.label}>
          <LegendEntry layer={layer} split={split} onFilter={onFilter} />
        </li>
      ))}
    </ul>
  );
}

type EntryProps = { layer: Layer; split: string; onFilter: Props['onFilter'] };

function LegendEntry({
  layer: { value, label, color, pattern, total },
  split,
  onFilter,
}: EntryProps) {
  const content = (
    <>
      <span className={classes.swatch} data-pattern={pattern} style={{ background: color }} />
      <span className={classes.label}>{label}</span>
      <span className="dimmed">{formatCount(total)}</span>
    </>
  );
  if (value === null) return <span className={classes.entry}>{content}</span>;
  return (
    <UnstyledButton
      className={classes.entry}
      title={`Click: only ${split}=${value}\nAlt-click: without it`}
      onClick={(event: MouseEvent) => onFilter(split, value, event.altKey)}
    >
      {content}
    </UnstyledButton>
  );
}

const SPLITS = ['severity', 'host', 'program', 'facility', 'source', 'logspace'];

function SplitSelect({ state, onChange }: Pick<Props, 'state' | 'onChange'>) {
  const fields = [...new Set([...SPLITS, ...state.facets, state.split])].filter(Boolean);
  return (
    <NativeSelect
      aria-label="Bars by"
      className={classes.split ?? ''}
      value={state.split}
      onChange={(event) => onChange({ split: event.currentTarget.value })}
      data={[
        ...fields.map((field) => ({ value: field, label: `by ${field}` })),
        { value: '', label: 'not split' },
      ]}
    />
  );
}
