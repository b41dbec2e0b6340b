/** The bars with their legend, the range before as a line, and what happened in the meantime. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import type { Histogram } from '../../api/model';
import { seesAll, sessionQuery } from '../../api/session';
import { Bars } from '../../ui/chart/Bars';
import { isolated, silences, stackOf } from '../../ui/chart/stack';
import { zoomedOut, zoomedTo } from '../../ui/chart/zoom';
import { useSetsRange } from '../../ui/query/useReading';
import type { TimeRange } from '../../ui/range';
import { useZone } from '../../ui/time';
import { type Summary, receivedQuery } from '../queries';
import { type SearchState, isEverything } from '../searchParams';
import { Legend } from './Legend';
import { beforeText, countsBefore, shiftOf, spanBefore } from './rangeBefore';
import { beforeQuery, revisionsQuery } from './timelineQueries';
import { useBrowserState } from '../../ui/useBrowserState';

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
