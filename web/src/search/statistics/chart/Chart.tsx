/** A plot as a picture in which the arrow keys move from point to point. */
import { useElementSize } from '@mantine/hooks';
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  memo,
  useId,
  useMemo,
  useState,
} from 'react';
import { type Zone, useZone } from '../../../ui/time';
import type { Plot, Point } from '../pivot';
import { type WriteNumber, shortWriterOf } from '../number';
import { Legend, Swatch } from './Legend';
import {
  BAR_ROW_PX,
  CHARACTER,
  type Frame,
  boxOf,
  frameOf,
  nextPoint,
  pointUnder,
  readingAt,
} from './frame';
import {
  type Box,
  type Kind,
  type Scale,
  along,
  axisMeasure,
  barPaths,
  horizontalBars,
  isStacked,
  lines,
  timeEnds,
  timeSlots,
  valueScale,
} from './layout';
import {
  type Writers,
  pointName,
  readingsAt,
  spokenPoint,
  totalAt,
  writerFor,
  writersOf,
} from './pointText';
import { colorOf } from './palette';
import { timeTicks } from './scale';
import classes from './Chart.module.css';

type Props = {
  plot: Plot;
  kind: Kind;
  title: string;
  /** The name of the highlighted series. */
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

type PointTipProps = {
  plot: Plot;
  point: number;
  write: Writers;
  zone: Zone;
  x: number;
  y: number;
  width: number;
};

/** The box with the values of the point under the pointer. It never covers the pointer. */
function PointTip({ plot, point, write, zone, x, y, width }: PointTipProps) {
  const readings = readingsAt(plot, point, write);
  const total = totalAt(plot, point, write);
  const side = x > width / 2 ? { right: width - x + 12 } : { left: x + 12 };
  return (
    <div className={classes.reading} style={{ top: y, ...side }} aria-hidden>
      <div className="breakAnywhere bold">{pointName(plot, point, zone)}</div>
      {readings.map(({ name, tone, text }) => (
        <div key={name} className={classes.readingRow}>
          <Swatch tone={tone} />
          <span className="truncate">{name}</span>
          <span className="alignRight">{text}</span>
        </div>
      ))}
      {readings.length === 0 && <div className="dimmed">No messages</div>}
      {total !== null && (
        <div className={classes.readingRow} data-total>
          <span />
          <span className="truncate">Total</span>
          <span className="alignRight">{total}</span>
        </div>
      )}
    </div>
  );
}

type PointActions = {
  /** Called when a point is chosen, with its position in the window. */
  onChoose: (point: Point, at: Box, exclude: boolean) => void;
  /** Opens the menu of a point. */
  onMenu: (point: Point, at: Box) => void;
};

/** The point of a plot under the pointer, or the one that the arrow keys have reached. */
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
    // Called for the pointer, and for the key for menus at the marked point.
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

type HorizontalBarsProps = {
  plot: Plot;
  width: number;
  left: number;
  marked: number | null;
  isolated: string | null;
};

/** The room after the longest bar for its number. */
const NUMBER = 88;

/**
 * A plot by names: a row for each, with a bar of the length of its value and the value next to it.
 */
function HorizontalBars({ plot, width, left, marked, isolated }: HorizontalBarsProps) {
  const inner = Math.max(20, width - NUMBER);
  const scale = horizontalScale(plot);
  const write = writerFor(plot);
  const bars = horizontalBars(plot, scale, inner, BAR_ROW_PX);
  return (
    <svg
      width={left + width + 8}
      height={plot.points.length * BAR_ROW_PX}
      aria-hidden
      className={classes.svg}
    >
      {marked !== null && (
        <rect className={classes.marked} y={marked * BAR_ROW_PX} width="100%" height={BAR_ROW_PX} />
      )}
      {plot.points.map(({ name }, row) => (
        <text
          key={name}
          className={classes.name}
          x={left - 8}
          y={(row + 0.5) * BAR_ROW_PX}
          dy="0.32em"
        >
          {cut(name, Math.floor((left - 12) / CHARACTER))}
        </text>
      ))}
      <g transform={`translate(${left} 0)`}>
        {bars.map((bar) => (
          <rect
            key={`${bar.point}-${bar.series}`}
            x={bar.left}
            y={bar.top}
            width={Math.max(1, bar.width)}
            height={bar.height}
            rx={1}
            fill={colorOf(bar.tone)}
            className={classes.mark}
            data-faded={isolated !== null && plot.series[bar.series]?.name !== isolated}
          />
        ))}
        <line
          className={classes.zero}
          x1={along(0, scale, inner)}
          x2={along(0, scale, inner)}
          y2="100%"
        />
        {plot.points.map(({ name }, row) => {
          const total = totalAtHorizontalBars(plot, row, write);
          return (
            total !== null && (
              <text
                key={name}
                className={classes.total}
                x={along(Math.max(0, total.end), scale, inner) + 6}
                y={(row + 0.5) * BAR_ROW_PX}
                dy="0.32em"
              >
                {total.text}
              </text>
            )
          );
        })}
      </g>
    </svg>
  );
}

/**
 * The scale ends at the longest bar, not at a round value: there are no ticks, as the numbers are
 * next to the bars.
 */
function horizontalScale(plot: Plot) {
  const { low } = valueScale(plot, 'bars', 4);
  const high = plot.points.reduce(
    (most, _, row) => Math.max(most, totalAtHorizontalBars(plot, row, String)?.end ?? 0),
    0,
  );
  return { low, high: high > low ? high : low + 1, ticks: [] };
}

/** The label next to a row: the sum of a stack, or the only value; none if there are several. */
function totalAtHorizontalBars(
  { series, ...plot }: Plot,
  row: number,
  write: WriteNumber,
): { end: number; text: string } | null {
  const values = series.flatMap(({ values }) => values[row] ?? []);
  const sum = values.reduce((sum, value) => sum + value, 0);
  if (isStacked({ series, ...plot }, 'bars') || series.length === 1) {
    return { end: sum, text: values.length === 0 ? '–' : write(sum) };
  }
  return { end: Math.max(0, ...values), text: '' };
}

function cut(name: string, characters: number): string {
  const all = Array.from(name);
  if (all.length <= characters) return name;
  const kept = Math.max(2, characters - 1);
  const tail = Math.floor(kept / 2);
  return `${all.slice(0, kept - tail).join('')}…${all.slice(-tail).join('')}`;
}

type TimePlotProps = {
  plot: Plot;
  kind: Kind;
  width: number;
  height: number;
  left: number;
  zone: Zone;
  slots: Frame['slots'];
  marked: number | null;
  isolated: string | null;
};

const TOP = 8;
const AXIS = 24;

/** A plot over time: vertical bars, lines or areas above a time axis. */
function TimePlot({ marked, left, slots, ...picture }: TimePlotProps) {
  const { width, height } = picture;
  const slot = marked === null ? undefined : slots[marked];
  const middle = slot && left + slot.left + slot.width / 2;
  return (
    <>
      <svg width={left + width + 8} height={height} aria-hidden className={classes.svg}>
        <g transform={`translate(${left} ${TOP})`}>
          <TimePlotPicture {...picture} />
        </g>
      </svg>
      {middle !== undefined && (
        <div
          className={classes.cursor}
          style={{ transform: `translateX(${middle}px)`, top: TOP, height: height - TOP - AXIS }}
        />
      )}
    </>
  );
}

/**
 * Separate from the cursor, so that thousands of points are not drawn again with every move of the
 * pointer.
 */
const TimePlotPicture = memo(function TimePlotPicture(
  props: Omit<TimePlotProps, 'marked' | 'left' | 'slots'>,
) {
  const { plot, kind, width, height, zone, isolated } = props;
  const hatching = useId();
  const inner = height - TOP - AXIS;
  const scale = valueScale(plot, kind, Math.max(2, Math.floor(inner / 60)));
  const write = shortWriterOf(axisMeasure(plot));
  const { from, to } = timeEnds(plot);
  const times = timeTicks(from, to, Math.max(2, Math.floor(width / 80)), zone);
  const slots = timeSlots(plot, width);
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * width;
  return (
    <>
      <pattern
        id={hatching}
        width={5}
        height={5}
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <path d="M0 0v5" className={classes.hatch} />
      </pattern>
      {scale.ticks.map((value) => {
        const y = inner - along(value, scale, inner);
        return (
          <g key={value} transform={`translate(0 ${y})`}>
            <line className={value === 0 ? classes.zero : classes.grid} x2={width} />
            <text className={classes.valueLabel} x={-8} dy="0.32em">
              {write(value)}
            </text>
          </g>
        );
      })}
      {times.map(({ time, label, isDay }) => (
        <g key={time} transform={`translate(${x(time)} ${inner})`}>
          <line className={classes.tick} y2={4} />
          <text className={classes.timeLabel} data-day={isDay} y={18}>
            {label}
          </text>
        </g>
      ))}
      {[...plot.partial.keys()].map((point) => (
        <rect
          key={point}
          fill={`url(#${hatching})`}
          x={slots[point]?.left}
          width={Math.max(2, slots[point]?.width ?? 0)}
          height={inner}
        />
      ))}
      <Marks {...{ plot, kind, scale, width, height: inner, isolated }} />
    </>
  );
});

type MarksProps = {
  plot: Plot;
  kind: Kind;
  scale: Scale;
  width: number;
  height: number;
  /** The highlighted series. */
  isolated: string | null;
};

/**
 * The bars, lines or areas of a plot over time: one path for each series, however many points it
 * has.
 */
function Marks({ plot, kind, scale, width, height, isolated }: MarksProps) {
  const isFaded = (series: number) => isolated !== null && plot.series[series]?.name !== isolated;
  if (kind === 'bars') {
    return barPaths(plot, scale, width, height).map(({ series, tone, path }) => (
      <path
        key={series}
        className={classes.mark}
        data-faded={isFaded(series)}
        d={path}
        fill={colorOf(tone)}
      />
    ));
  }
  const drawn = lines(plot, scale, width, height, kind);
  // The largest series is drawn last, above the others.
  return drawn.toReversed().map(({ tone, series, path, area, dots }) => (
    <g key={series} className={classes.mark} data-faded={isFaded(series)}>
      {area !== null && (
        <path d={area} fill={colorOf(tone)} fillOpacity={plot.stackable ? 0.72 : 0.2} />
      )}
      <path
        d={path}
        fill="none"
        stroke={colorOf(tone)}
        strokeWidth={area !== null ? 1 : series === 0 ? 2.2 : 1.5}
        strokeLinejoin="round"
      />
      {dots.map(({ x, y, point }) => (
        <circle key={point} cx={x} cy={y} r={2.5} fill={colorOf(tone)} />
      ))}
    </g>
  ));
}
