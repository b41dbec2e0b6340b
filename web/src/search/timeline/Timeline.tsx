/**
 * The histogram of matches over time, by the values of a field; with the spans in which nothing came in, and the way to
 * a closer look.
 */
import { Skeleton } from '@mantine/core';
import { type ReactNode, memo } from 'react';
import { isRefusal } from '../../api/client';
import { PartLoadError } from '../../ui/PartLoadError';
import type { TimeRange } from '../../ui/range';
import type { Summary } from '../queries';
import type { SearchState } from '../searchParams';
import { Chart } from './Chart';
import { HistogramStrip } from './HistogramStrip';
import { TimelineHead } from './TimelineHead';
import { useBrowserState } from '../../ui/useBrowserState';
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
