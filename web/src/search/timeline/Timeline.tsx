/**
 * The histogram of matches over time, by the values of a field; with the spans in which nothing came in, and the way to
 * a closer look.
 */
import { NativeSelect, Skeleton, UnstyledButton } from '@mantine/core';
import { type ReactNode, memo } from 'react';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { isRefusal } from '../../api/client';
import { PartLoadError } from '../../ui/PageLoadError';
import type { TimeRange } from '../../ui/range';
import type { Summary } from '../queries';
import type { SearchState } from '../searchParams';
import { Chart } from './Chart';
import { HistogramStrip } from './HistogramStrip';
import { useBrowserState } from '../../ui/useBrowserState';
import type { Histogram } from '../../api/model';
import { formatSpan } from '../../ui/chart/ticks';
import { formatCount } from '../../ui/number';
import { foundQuery } from '../../messages/facets/facetQueries';
import classes from './Timeline.module.css';

type Props = {
  state: SearchState;
  /** The part that is known so far. */
  summary: Summary | undefined;
  /** Whether that is of the question before, while this one is worked on. */
  stale?: boolean;
  /** Why there is nothing. */
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
  /** Missing where there is no room to open it. */
  onToggle: (() => void) | undefined;
  onAll: () => void;
  onChange: (part: Partial<SearchState>) => void;
  children?: ReactNode;
};

/** The line above the bars: what folds them, what they mean, and how they are cut. */
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
        <span className={classes.span}>per {formatSpan(histogram.interval_ms)}</span>
      )}
      {isOpen && <SplitSelect state={state} onChange={onChange} />}
    </div>
  );
}

const FIELDS = ['severity', 'host', 'program', 'facility', 'source', 'logspace'];

type SplitSelectProps = { state: SearchState; onChange: (part: Partial<SearchState>) => void };

/** The field that the bars are broken down by. */
function SplitSelect({ state, onChange }: SplitSelectProps) {
  // Those of the messages are known already where the sidebar is open.
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
  /** Names with commas between them: the same text as long as they are the same. */
  common: string;
  found: string;
};

const Choice = memo(function Choice({ split, common, found, onChange }: ChoiceProps) {
  const option = (field: string) => ({ value: field, label: `by ${field}` });
  return (
    <NativeSelect
      aria-label="Break down by"
      className={classes.split ?? ''}
      value={split}
      onChange={(event) => onChange({ split: event.currentTarget.value })}
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
