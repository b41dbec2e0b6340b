/** A plot as a picture, which can also be walked through point by point with the arrow keys. */
import { useElementSize } from '@mantine/hooks';
import { useMemo } from 'react';
import { useZone } from '../../../ui/time';
import type { Plot } from '../pivot';
import { Legend } from './Legend';
import { HorizontalBars } from './HorizontalBars';
import { PointTip } from './PointTip';
import { TimePlot } from './TimePlot';
import { type Frame, frameOf, readingAt } from './frame';
import type { Kind } from './layout';
import { spokenPoint, writersOf } from './pointText';
import { type PointActions, usePoint } from './usePoint';
import classes from './Chart.module.css';

type Props = {
  plot: Plot;
  kind: Kind;
  title: string;
  /** The name of the series that stands out. */
  isolated: string | null;
  onIsolate: (name: string | null) => void;
} & PointActions;

export function Chart({ plot, kind, title, isolated, onIsolate, ...actions }: Props) {
  const { ref, width, height } = useElementSize<HTMLDivElement>();
  const [zone] = useZone();
  const frame = useMemo(() => frameOf(plot, width, height), [plot, width, height]);
  const write = useMemo(() => writersOf(plot), [plot]);
  const { marked, isSpoken, handlers } = usePoint(plot, frame, actions);
  const hasLegend = plot.axis === 'names' && plot.series.length > 1;
  return (
    <figure className="stack minWidth0 minHeight0" data-legend={hasLegend} aria-label={title}>
      {hasLegend && <Legend series={plot.series} onIsolate={onIsolate} />}
      <div ref={ref} className={classes.frame} data-axis={plot.axis}>
        <div
          className={classes.plot}
          role="group"
          aria-roledescription="chart"
          aria-label={`${title}, ${plot.points.length} points. Use the arrow keys to move from point to point.`}
          tabIndex={0}
          {...handlers}
        >
          {width > 0 && <Picture {...{ plot, kind, frame, marked, isolated }} />}
        </div>
        {marked !== null && (
          <PointTip
            plot={plot}
            point={marked}
            write={write}
            zone={zone}
            {...readingAt(frame, marked)}
            width={width}
          />
        )}
      </div>
      {plot.notes.length > 0 && (
        <figcaption className="meta dimmed">{plot.notes.join(' ')}</figcaption>
      )}
      <p className="unseen" role="status">
        {isSpoken && marked !== null && spokenPoint(plot, marked, zone, write)}
      </p>
    </figure>
  );
}

type PictureProps = {
  plot: Plot;
  kind: Kind;
  frame: Frame;
  marked: number | null;
  isolated: string | null;
};

function Picture({ frame, ...picture }: PictureProps) {
  const { isTime, left, plotWidth, height, slots } = frame;
  const [zone] = useZone();
  if (!isTime) return <HorizontalBars {...picture} width={plotWidth} left={left} />;
  return <TimePlot {...picture} {...{ height, left, slots, zone }} width={plotWidth} />;
}
