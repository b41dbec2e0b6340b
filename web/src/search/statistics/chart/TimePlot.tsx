/** A plot along time: standing bars, lines or areas over an axis of times. */
import { memo, useId } from 'react';
import type { Zone } from '../../../ui/time';
import { shortWriterOf } from '../number';
import type { Plot } from '../pivot';
import type { Frame } from './frame';
import {
  type Kind,
  type Scale,
  along,
  axisMeasure,
  barPaths,
  lines,
  timeEnds,
  timeSlots,
  valueScale,
} from './layout';
import { timeTicks } from './scale';
import { colorOf } from './palette';
import classes from './Chart.module.css';

type Props = {
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

export function TimePlot({ marked, left, slots, ...picture }: Props) {
  const { width, height } = picture;
  const slot = marked === null ? undefined : slots[marked];
  const middle = slot && left + slot.left + slot.width / 2;
  return (
    <>
      <svg width={left + width + 8} height={height} aria-hidden className={classes.svg}>
        <g transform={`translate(${left} ${TOP})`}>
          <Picture {...picture} />
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

/** Apart from the cursor, so that thousands of points are not drawn again with every move of the pointer. */
const Picture = memo(function Picture(props: Omit<Props, 'marked' | 'left' | 'slots'>) {
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
          className={classes.partial}
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
  /** The series that stands out. */
  isolated: string | null;
};

/** The bars, lines or areas of a plot along time: one path for each series, however many points it has. */
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
  // The greatest is drawn last, above the others.
  return drawn.toReversed().map(({ tone, series, path, area, dots }) => (
    <g key={series} className={classes.mark} data-faded={isFaded(series)}>
      {area !== null && (
        <path d={area} fill={colorOf(tone)} fillOpacity={plot.stackable ? 0.72 : 0.2} />
      )}
      <path
        className={classes.stroke}
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
