/** A plot as a picture, which can also be walked through point by point with the arrow keys. */
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useMemo, useState } from 'react';
import { type Zone, useZone } from '../../../ui/time';
import type { Plot, Point } from '../pivot';
import { Legend, Swatch } from './Legend';
import { HorizontalBars } from './HorizontalBars';
import { TimePlot } from './TimePlot';
import { type Frame, boxOf, frameOf, nextPoint, pointUnder, readingAt } from './frame';
import type { Box, Kind } from './layout';
import { type Writers, pointName, readingsAt, spokenPoint, totalAt, writersOf } from './pointText';
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
    <figure className={classes.figure} data-legend={hasLegend} aria-label={title}>
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
        <figcaption className={classes.caption}>{plot.notes.join(' ')}</figcaption>
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

type PointTipProps = {
  plot: Plot;
  point: number;
  write: Writers;
  zone: Zone;
  x: number;
  y: number;
  width: number;
};

/** The box with the values of the point under the pointer. Never in the pointer's way. */
function PointTip({ plot, point, write, zone, x, y, width }: PointTipProps) {
  const readings = readingsAt(plot, point, write);
  const total = totalAt(plot, point, write);
  const side = x > width / 2 ? { right: width - x + 12 } : { left: x + 12 };
  return (
    <div className={classes.reading} style={{ top: y, ...side }} aria-hidden>
      <div className={classes.readingHead}>{pointName(plot, point, zone)}</div>
      {readings.map(({ name, tone, text }) => (
        <div key={name} className={classes.readingRow}>
          <Swatch tone={tone} />
          <span className={classes.readingName}>{name}</span>
          <span className={classes.readingValue}>{text}</span>
        </div>
      ))}
      {readings.length === 0 && <div className="dimmed">No messages</div>}
      {total !== null && (
        <div className={classes.readingRow} data-total>
          <span />
          <span className={classes.readingName}>Total</span>
          <span className={classes.readingValue}>{total}</span>
        </div>
      )}
    </div>
  );
}

type PointActions = {
  /** A point was chosen, at a place in the window. */
  onChoose: (point: Point, at: Box, exclude: boolean) => void;
  /** Opens the menu of a point. */
  onMenu: (point: Point, at: Box) => void;
};

/** The point of a plot that the pointer is over or that the arrow keys have reached. */
function usePoint(plot: Plot, frame: Frame, { onChoose, onMenu }: PointActions) {
  const [marked, setMarked] = useState<number | null>(null);
  const [isSpoken, setSpoken] = useState(false);
  const count = plot.points.length;
  const point = marked === null ? undefined : plot.points[marked];
  const boxIn = (element: HTMLElement): Box => {
    const { left, top } = element.getBoundingClientRect();
    const box = boxOf(frame, marked ?? 0);
    return { ...box, left: left + box.left, top: top + box.top };
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = nextPoint(event.key, marked, count);
    if (next !== null) {
      event.preventDefault();
      setSpoken(true);
      setMarked(next);
    } else if ((event.key === 'Enter' || event.key === ' ') && point !== undefined) {
      event.preventDefault();
      onChoose(point, boxIn(event.currentTarget), event.altKey);
    } else if (event.key === 'Escape') setMarked(null);
  };
  const handlers = {
    onKeyDown,
    onBlur: () => setMarked(null),
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const { left, top } = event.currentTarget.getBoundingClientRect();
      setSpoken(false);
      setMarked(pointUnder(frame, count, event.clientX - left, event.clientY - top));
    },
    onPointerLeave: () => setMarked(null),
    onClick: ({ clientX, clientY, altKey }: MouseEvent) => {
      if (point !== undefined) onChoose(point, placeOf(clientX, clientY), altKey);
    },
    // With the pointer and, at the marked point, with the key for menus.
    onContextMenu: (event: MouseEvent<HTMLElement>) => {
      if (point === undefined) return;
      event.preventDefault();
      const { clientX, clientY } = event;
      const isKey = event.button !== 2;
      onMenu(point, isKey ? boxIn(event.currentTarget) : placeOf(clientX, clientY));
    },
  };
  return { marked: point === undefined ? null : marked, isSpoken, handlers };
}

function placeOf(left: number, top: number): Box {
  return { left, top, width: 0, height: 0 };
}
