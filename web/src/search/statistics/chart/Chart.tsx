/** A plot as a picture, which can also be walked through point by point with the arrow keys. */
import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import { useZone } from '../../../ui/time';
import type { Plot } from '../pivot';
import { Legend } from './Legend';
import { Lying } from './Lying';
import { Reading } from './Reading';
import { Standing } from './Standing';
import { type Frame, frameOf, readingAt } from './frame';
import type { Kind } from './layout';
import { shownSeries, spokenPoint } from './reading';
import { type ChoosePoint, usePoint } from './usePoint';
import classes from './Chart.module.css';

type Props = { plot: Plot; kind: Kind; title: string; onChoose: ChoosePoint };

export function Chart({ plot, kind, title, onChoose }: Props) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [zone] = useZone();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = shownSeries(plot, hidden);
  const frame = frameOf(plot, width);
  const { marked, isSpoken, handlers } = usePoint(plot, frame, onChoose);
  return (
    <figure className={classes.figure} aria-label={title}>
      {(plot.series.length > 1 || plot.measure === '') && (
        <Legend
          series={plot.series}
          hidden={hidden}
          isLines={kind === 'lines'}
          onChange={setHidden}
        />
      )}
      <div ref={ref} className={classes.frame}>
        <div
          className={classes.plot}
          role="group"
          aria-roledescription="chart"
          aria-label={`${title}, ${plot.points.length} points. The arrow keys go from point to point.`}
          tabIndex={0}
          {...handlers}
        >
          {width > 0 && <Picture plot={shown} kind={kind} frame={frame} marked={marked} />}
        </div>
        {marked !== null && (
          <Reading
            plot={shown}
            point={marked}
            zone={zone}
            {...readingAt(frame, marked)}
            width={width}
          />
        )}
      </div>
      {plot.notes.length > 0 && (
        <figcaption className={classes.caption}>{plot.notes.join(' ')}</figcaption>
      )}
      <p className="unseen" role="status">
        {isSpoken && marked !== null && spokenPoint(shown, marked, zone)}
      </p>
    </figure>
  );
}

type PictureProps = { plot: Plot; kind: Kind; frame: Frame; marked: number | null };

function Picture({ plot, kind, frame, marked }: PictureProps) {
  const [zone] = useZone();
  const { isTime, left, plotWidth, height } = frame;
  if (!isTime) return <Lying plot={plot} width={plotWidth} left={left} marked={marked} />;
  return (
    <Standing
      plot={plot}
      kind={kind}
      width={plotWidth}
      height={height}
      left={left}
      zone={zone}
      marked={marked}
    />
  );
}
