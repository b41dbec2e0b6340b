/** A plot as a picture, which can also be walked through point by point with the arrow keys. */
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { useZone } from '../../../ui/time';
import type { Plot, Point } from '../pivot';
import { Legend } from './Legend';
import { CHARACTER, Lying } from './Lying';
import { Reading } from './Reading';
import { Standing } from './Standing';
import { type Kind, type Box, timeSlots, pointAt } from './layout';
import { shownSeries, spokenPoint } from './reading';
import classes from './Chart.module.css';

type Props = {
  plot: Plot;
  kind: Kind;
  title: string;
  /** A point was chosen, at a place in the window. */
  onChoose: (point: Point, at: Box) => void;
};

/** Room for the labels of the axes. */
const LEFT = 48;
const RIGHT = 24;
const LYING_ROW = 24;
const STANDING_HEIGHT = 220;

export function Chart({ plot, kind, title, onChoose }: Props) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [zone] = useZone();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [marked, setMarked] = useState<number | null>(null);
  const [isSpoken, setSpoken] = useState(false);
  const shown = shownSeries(plot, hidden);
  const isTime = plot.axis === 'time';
  const left = isTime ? LEFT : nameWidth(plot, width);
  const plotWidth = Math.max(40, width - left - RIGHT);
  const slots = isTime ? timeSlots(plot, plotWidth) : [];
  const height = isTime ? STANDING_HEIGHT : plot.points.length * LYING_ROW;
  const point = marked === null ? undefined : plot.points[marked];

  const under = (event: PointerEvent<HTMLElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    if (isTime) return pointAt(slots, event.clientX - box.left - left);
    const row = Math.floor((event.clientY - box.top) / LYING_ROW);
    return Math.min(plot.points.length - 1, Math.max(0, row));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = nextPoint(event.key, marked, plot.points.length);
    if (next !== null) {
      event.preventDefault();
      setSpoken(true);
      setMarked(next);
    } else if ((event.key === 'Enter' || event.key === ' ') && point !== undefined) {
      event.preventDefault();
      onChoose(point, markBox(event.currentTarget));
    } else if (event.key === 'Escape') setMarked(null);
  };
  const markBox = (target: HTMLElement): Box => {
    const box = target.getBoundingClientRect();
    const slot = slots[marked ?? 0];
    return isTime
      ? {
          left: box.left + left + (slot?.left ?? 0),
          top: box.top + 40,
          width: slot?.width ?? 0,
          height: 20,
        }
      : {
          left: box.left + left,
          top: box.top + (marked ?? 0) * LYING_ROW,
          width: 40,
          height: LYING_ROW,
        };
  };

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
          onKeyDown={onKeyDown}
          onBlur={() => setMarked(null)}
          onPointerMove={(event) => {
            setSpoken(false);
            setMarked(under(event));
          }}
          onPointerLeave={() => setMarked(null)}
          onClick={(event) => {
            if (point !== undefined)
              onChoose(point, { left: event.clientX, top: event.clientY, width: 0, height: 0 });
          }}
        >
          {width > 0 &&
            (isTime ? (
              <Standing
                plot={shown}
                kind={kind}
                width={plotWidth}
                height={height}
                left={left}
                zone={zone}
                marked={marked}
              />
            ) : (
              <Lying
                plot={shown}
                width={plotWidth}
                rowHeight={LYING_ROW}
                left={left}
                marked={marked}
              />
            ))}
        </div>
        {point !== undefined && marked !== null && (
          <Reading
            plot={shown}
            point={marked}
            zone={zone}
            x={
              isTime
                ? left + (slots[marked]?.left ?? 0) + (slots[marked]?.width ?? 0) / 2
                : left + plotWidth / 2
            }
            y={isTime ? 8 : (marked + 1) * LYING_ROW}
            width={width}
          />
        )}
      </div>
      {plot.notes.length > 0 && (
        <figcaption className={classes.caption}>{plot.notes.join(' ')}</figcaption>
      )}
      <p className={classes.spoken} role="status">
        {isSpoken && marked !== null && point !== undefined && spokenPoint(shown, marked, zone)}
      </p>
    </figure>
  );
}

/** The point that a key goes to; null for keys that go nowhere. */
function nextPoint(key: string, marked: number | null, count: number): number | null {
  const from = marked ?? -1;
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return Math.min(count - 1, from + 1);
    case 'ArrowLeft':
    case 'ArrowUp':
      return marked === null ? count - 1 : Math.max(0, from - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

/** Names are in 12 px; a very long one is cut in the middle of the chart's room, not the chart. */
function nameWidth(plot: Plot, width: number): number {
  const longest = plot.points.reduce((most, { name }) => Math.max(most, name.length), 0);
  return Math.ceil(Math.min(longest * CHARACTER + 16, width * 0.36));
}
