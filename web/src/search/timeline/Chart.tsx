/** The bars with their legend, the range before as a line, and what happened in the meantime. */
import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { type MouseEvent, type ReactNode, useMemo, useState } from 'react';
import { UnstyledButton } from '@mantine/core';
import type { Histogram } from '../../api/model';
import { seesAll, sessionQuery } from '../../api/session';
import { Bars } from '../../ui/chart/Bars';
import { type Layer, type Stack, isolated, silences, stackOf } from '../../ui/chart/stack';
import { zoomedOut, zoomedTo } from '../../ui/chart/zoom';
import { useSetsRange } from '../../ui/query/useReading';
import type { TimeRange } from '../../ui/range';
import { useZone } from '../../ui/time';
import { type Summary, receivedQuery } from '../queries';
import { type SearchState, isEverything } from '../searchParams';
import { type Span, beforeText, countsBefore, shiftOf, spanBefore } from './rangeBefore';
import { useBrowserState } from '../../ui/useBrowserState';
import { formatCount } from '../../ui/number';
import { client, unwrap } from '../../api/client';
import type { ChartEvent } from '../../ui/chart/view';
import { scopeOf } from '../../messages/messageState';
import classes from './Timeline.module.css';

type Props = {
  state: SearchState;
  summary: Summary;
  histogram: Histogram;
  stale: boolean;
  /** Puts the legend into the line above. */
  head: (legend: ReactNode) => ReactNode;
  onZoom: (range: TimeRange) => void;
  onFilter: (field: string, value: string, exclude: boolean) => void;
};

export function Chart(props: Props) {
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

/** The range before, once there is nothing else to count. */
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
  /** The label of the layer that is shown alone. */
  alone: string | null;
  onAlone: (label: string | null) => void;
  onExclude: (value: string) => void;
  /** The meaning of the line, and how to hide it. */
  before: { text: string; total: number | undefined; isOn: boolean; onToggle: () => void } | null;
};

/** The legend of the bars' colours. A click shows one of them alone. */
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
/** Most revisions that are marked. */
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
