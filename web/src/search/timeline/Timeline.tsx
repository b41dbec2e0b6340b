/**
 * The histogram of matches over time, by the values of a field; with the spans in which nothing came in, and the way to
 * a closer look.
 */
import { Skeleton, UnstyledButton } from '@mantine/core';
import { type MouseEvent, type ReactNode, memo, useMemo, useState } from 'react';
import { IconChevronDown } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { client, isRefusal, unwrap } from '../../api/client';
import { PartLoadError } from '../../ui/PageLoadError';
import { SelectField } from '../../ui/Fields';
import type { TimeRange } from '../../ui/range';
import { type Summary, receivedQuery } from '../queries';
import { type SearchState, isEverything } from '../searchParams';
import { HistogramStrip } from './HistogramStrip';
import { useBrowserState } from '../../ui/useBrowserState';
import type { Histogram } from '../../api/model';
import { formatSpan } from '../../ui/chart/ticks';
import { formatCount } from '../../ui/number';
import { foundQuery } from '../../messages/facets/facetQueries';
import { seesAll, sessionQuery } from '../../api/session';
import { Bars } from '../../ui/chart/Bars';
import { type Layer, type Stack, isolated, silences, stackOf } from '../../ui/chart/stack';
import { zoomedOut, zoomedTo } from '../../ui/chart/zoom';
import { useSetsRange } from '../../ui/query/useReading';
import { useZone } from '../../ui/time';
import type { ChartEvent } from '../../ui/chart/view';
import { scopeOf } from '../../messages/messageState';
import { type Span, beforeText, countsBefore, shiftOf, spanBefore } from './rangeBefore';
import classes from './Timeline.module.css';

type Props = {
  state: SearchState;
  /** The part that is known so far. */
  summary: Summary | undefined;
  /** Whether the summary belongs to the previous search, while this one is in progress. */
  stale?: boolean;
  /** The reason why there are no bars. */
  error: Error | null;
  /** Whether there is room for one line only. */
  folded?: boolean;
  onRetry: () => void;
  onZoom: (range: TimeRange) => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onChange: (part: Partial<SearchState>) => void;
};

export const Timeline = memo(function Timeline(props: Props) {
  const { state, summary, error, stale = false, folded = false } = props;
  const { onRetry, onZoom, onFilter, onChange } = props;
  const [isWanted, setWanted] = useBrowserState({ key: 'logstead-timeline', defaultValue: true });
  const isOpen = isWanted && !folded;
  const histogram = error === null ? summary?.histogram : undefined;
  const head = (middle?: ReactNode) => (
    <TimelineHead
      state={state}
      histogram={histogram}
      isOpen={isOpen}
      onToggle={folded ? undefined : () => setWanted(!isWanted)}
      onAll={() => onZoom({ kind: 'all' })}
      onChange={onChange}
    >
      {middle}
    </TimelineHead>
  );
  const content = () => {
    if (!isOpen)
      return head(
        histogram !== undefined && <HistogramStrip histogram={histogram} split={state.split} />,
      );
    if (summary === undefined || histogram === undefined || histogram.buckets.length === 0) {
      return (
        <>
          {head()}
          <NoBars error={error} isKnown={histogram !== undefined} onRetry={onRetry} />
        </>
      );
    }
    return <Chart {...{ state, summary, histogram, stale, head, onZoom, onFilter }} />;
  };
  return (
    <section className={classes.timeline} aria-label="Messages over time" data-open={isOpen}>
      {content()}
    </section>
  );
});

type NoBarsProps = { error: Error | null; isKnown: boolean; onRetry: () => void };

function NoBars({ error, isKnown, onRetry }: NoBarsProps) {
  if (error === null && !isKnown) return <Skeleton className={classes.before ?? ''} />;
  return (
    <div className={classes.nothing}>
      {error === null && 'Nothing to chart yet.'}
      {isRefusal(error) && 'No counts while the query has an error.'}
      {error !== null && !isRefusal(error) && (
        <PartLoadError what="Counts" error={error} onRetry={onRetry} />
      )}
    </div>
  );
}

type TimelineHeadProps = {
  state: SearchState;
  histogram: Histogram | undefined;
  isOpen: boolean;
  /** Missing if there is no room to open the timeline. */
  onToggle: (() => void) | undefined;
  onAll: () => void;
  onChange: (part: Partial<SearchState>) => void;
  children?: ReactNode;
};

/**
 * The line above the bars: the button that folds them, their legend, and the field that splits
 * them.
 */
function TimelineHead(props: TimelineHeadProps) {
  const { state, histogram, isOpen, onToggle, onAll, onChange, children } = props;
  return (
    <div className={classes.head}>
      {onToggle !== undefined && (
        <UnstyledButton
          className={classes.toggle}
          aria-label="Histogram"
          aria-expanded={isOpen}
          title={isOpen ? 'Fold the histogram' : 'Show the histogram'}
          onClick={onToggle}
        >
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      )}
      <div className={classes.middle}>{children}</div>
      {histogram !== undefined && histogram.later > 0 && (
        <UnstyledButton className={classes.later} onClick={onAll}>
          {formatCount(histogram.later)} dated in the future
        </UnstyledButton>
      )}
      {histogram !== undefined && histogram.interval_ms > 0 && (
        <span className="nowrap dimmed wideOnly">per {formatSpan(histogram.interval_ms)}</span>
      )}
      {isOpen && <SplitSelect state={state} onChange={onChange} />}
    </div>
  );
}

const FIELDS = ['severity', 'host', 'program', 'facility', 'source', 'logspace'];

type SplitSelectProps = { state: SearchState; onChange: (part: Partial<SearchState>) => void };

/** Selects the field by which the bars are split. */
function SplitSelect({ state, onChange }: SplitSelectProps) {
  // The fields of the messages are already known if the sidebar is open.
  const { data } = useQuery({ ...foundQuery(state), enabled: false });
  const common = [...new Set([...FIELDS, ...state.facets, state.split])].filter(Boolean);
  const found = (data?.fields ?? [])
    .map(({ name }) => name)
    .filter((name) => !common.includes(name));
  return (
    <Choice split={state.split} common={common.join()} found={found.join()} onChange={onChange} />
  );
}

type ChoiceProps = Pick<SplitSelectProps, 'onChange'> & {
  split: string;
  /** Comma-separated names, as a single text: it stays equal as long as they do. */
  common: string;
  found: string;
};

const Choice = memo(function Choice({ split, common, found, onChange }: ChoiceProps) {
  const option = (field: string) => ({ value: field, label: `by ${field}` });
  return (
    <SelectField
      aria-label="Break down by"
      className={classes.split ?? ''}
      value={split}
      onChange={(value) => onChange({ split: value })}
      data={[
        { value: '', label: 'total only' },
        ...common.split(',').map(option),
        ...(found === ''
          ? []
          : [{ group: 'In these messages', items: found.split(',').map(option) }]),
      ]}
    />
  );
});

type ChartProps = {
  state: SearchState;
  summary: Summary;
  histogram: Histogram;
  stale: boolean;
  /** Places the legend in the line above. */
  head: (legend: ReactNode) => ReactNode;
  onZoom: (range: TimeRange) => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
};

/** The bars with their legend, the previous range as a line, and events in the range. */
function Chart(props: ChartProps) {
  const { state, summary, histogram, stale, head, onZoom, onFilter } = props;
  const [zone] = useZone();
  const [alone, setAlone] = useState<string | null>(null);
  const whole = useMemo(() => stackOf(histogram, state.split), [histogram, state.split]);
  const stack = useMemo(() => isolated(whole, alone), [whole, alone]);
  const isAlone = stack !== whole;
  const isAll = isEverything(state.query);
  const { data: received } = useQuery({ ...receivedQuery(state), enabled: !isAll });
  const everything = isAll ? histogram : received;
  const silent = useMemo(() => silences(stack, everything), [stack, everything]);
  const before = useBefore(state, histogram, summary.done && !stale);
  const { data: session } = useQuery(sessionQuery);
  const mayRead = session?.user != null && seesAll(session.user);
  const { data: events } = useQuery({ ...revisionsQuery, enabled: mayRead });
  const known = summary.fraction ?? 1;
  const start = stack.times[0] ?? 0;
  const end = (stack.times.at(-1) ?? 0) + stack.intervalMs;
  return (
    <>
      {head(
        <Legend
          stack={whole}
          split={state.split}
          alone={isAlone ? alone : null}
          onAlone={setAlone}
          onExclude={(value) => onFilter(state.split, value, true)}
          before={before.legend}
        />,
      )}
      <Bars
        label="Messages over time, bar by bar"
        stack={stack}
        zone={zone}
        silent={known < 1 ? [] : silent}
        known={known}
        before={isAlone ? undefined : before.counts}
        events={events?.filter(({ at }) => start <= at && at < end)}
        stale={stale}
        onZoom={(from, to) => onZoom(zoomedTo(from, to))}
        onZoomOut={() => onZoom(zoomedOut(start, end, Date.now()))}
      />
    </>
  );
}

/** The previous range, requested once there is nothing else to count. */
function useBefore(state: SearchState, histogram: Histogram, isReady: boolean) {
  const [isOn, setOn] = useBrowserState({ key: 'logstead-before', defaultValue: true });
  const setsRange = useSetsRange(state.query);
  const shiftMs = shiftOf(histogram, state.range);
  const isOpen = state.range.kind === 'all' || setsRange;
  const span = isOpen ? null : spanBefore(histogram, shiftMs);
  const { data } = useQuery({
    ...beforeQuery(state, span),
    enabled: isOn && isReady && span !== null,
  });
  const known = isOn && span !== null ? data : undefined;
  const counts = useMemo(
    () =>
      known &&
      known.interval_ms === histogram.interval_ms &&
      countsBefore(histogram, known, shiftMs),
    [known, histogram, shiftMs],
  );
  const legend = {
    text: beforeText(shiftMs),
    total: known?.total,
    isOn,
    onToggle: () => setOn(!isOn),
  };
  return { counts: counts === false ? undefined : counts, legend: span === null ? null : legend };
}

type LegendProps = {
  stack: Stack;
  split: string;
  /** The label of the only layer that is shown. */
  alone: string | null;
  onAlone: (label: string | null) => void;
  onExclude: (value: string) => void;
  /** The meaning of the line, and how to hide it. */
  before: { text: string; total: number | undefined; isOn: boolean; onToggle: () => void } | null;
};

/** The legend of the bars' colours. A click on an entry shows only that one. */
function Legend({ stack, split, alone, onAlone, onExclude, before }: LegendProps) {
  return (
    <ul className={classes.legend} aria-label={split === '' ? 'Bars' : `Bars by ${split}`}>
      {split !== '' &&
        stack.layers.map((layer) => (
          <li key={layer.label}>
            <Entry
              layer={layer}
              split={split}
              isAlone={layer.label === alone}
              isBack={alone !== null && layer.label !== alone}
              onAlone={onAlone}
              onExclude={onExclude}
            />
          </li>
        ))}
      {before !== null && (
        <li>
          <UnstyledButton
            className={classes.entry}
            aria-pressed={before.isOn}
            title={before.isOn ? 'Hide the line' : 'Compare with the range before'}
            data-back={!before.isOn}
            onClick={before.onToggle}
          >
            <span className={classes.line} />
            <span className={classes.label}>{before.text}</span>
            {before.isOn && before.total !== undefined && <b>{formatCount(before.total)}</b>}
          </UnstyledButton>
        </li>
      )}
    </ul>
  );
}

type EntryProps = Pick<LegendProps, 'split' | 'onAlone' | 'onExclude'> & {
  layer: Layer;
  isAlone: boolean;
  isBack: boolean;
};

function Entry({ layer, split, isAlone, isBack, onAlone, onExclude }: EntryProps) {
  const { value, label, color, pattern, total } = layer;
  const excludes = value === null ? '' : `\nAlt-click to exclude ${split}=${value}`;
  const press = (event: MouseEvent) => {
    if (event.altKey && value !== null) onExclude(value);
    else onAlone(isAlone ? null : label);
  };
  return (
    <UnstyledButton
      className={classes.entry}
      aria-pressed={isAlone}
      data-alone={isAlone}
      data-back={isBack}
      title={(isAlone ? 'Click to show all' : `Click to show only ${label}`) + excludes}
      onClick={press}
    >
      <span className={classes.swatch} data-pattern={pattern} style={{ background: color }} />
      <span className={classes.label}>{label}</span>
      <b>{formatCount(total)}</b>
    </UnstyledButton>
  );
}

/** A range in the past does not change, except for late messages. */
const FRESH_MS = 60_000;
/** The maximum number of revisions that are marked. */
const REVISIONS_MAX = 50;

/**
 * The requests of the histogram besides its counts: the range before, and when the router changed.
 * The histogram of another range.
 */
function beforeQuery(state: SearchState, span: Span | null) {
  const body = { ...scopeOf(state), ...span };
  return queryOptions({
    queryKey: ['before', body],
    queryFn:
      span === null
        ? skipToken
        : ({ signal }): Promise<Histogram> =>
            unwrap(client.POST('/api/v1/histogram', { body, signal })),
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** When revisions of the router went live. */
const revisionsQuery = queryOptions({
  queryKey: ['timeline', 'revisions'],
  queryFn: async ({ signal }): Promise<ChartEvent[]> => {
    const { revisions } = await unwrap(client.GET('/api/v1/router/revisions', { signal }));
    return revisions
      .slice(0, REVISIONS_MAX)
      .map(({ revision, author, comment, created_at: at }) => ({
        at: Date.parse(at),
        text: `Router revision ${revision} by ${author}${comment === '' ? '' : `: ${comment}`}`,
      }));
  },
  staleTime: FRESH_MS,
  retry: false,
});
