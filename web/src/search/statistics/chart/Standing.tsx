/** A plot along time: standing bars, lines or areas over an axis of times. */
import type { Zone } from '../../../ui/time';
import type { Plot } from '../pivot';
import { type Kind, along, lines, standingBars, timeEnds, timeSlots, valueScale } from './layout';
import { colorOf, dashOf } from './palette';
import { shortNumber, timeTicks } from './scale';
import classes from './Chart.module.css';

type Props = {
  plot: Plot;
  kind: Kind;
  width: number;
  height: number;
  left: number;
  zone: Zone;
  marked: number | null;
};

const TOP = 8;
const AXIS = 24;

export function Standing({ plot, kind, width, height, left, zone, marked }: Props) {
  const inner = height - TOP - AXIS;
  const scale = valueScale(plot, kind, 5);
  const { from, to } = timeEnds(plot);
  const times = timeTicks(from, to, Math.max(2, Math.floor(width / 80)), zone);
  const slot = marked === null ? undefined : timeSlots(plot, width)[marked];
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * width;
  return (
    <svg width={left + width + 8} height={height} aria-hidden className={classes.svg}>
      <g transform={`translate(${left} ${TOP})`}>
        {slot !== undefined && (
          <rect
            className={classes.marked}
            x={slot.left}
            width={Math.max(1, slot.width)}
            height={inner}
          />
        )}
        {scale.ticks.map((value) => {
          const y = inner - along(value, scale, inner);
          return (
            <g key={value} transform={`translate(0 ${y})`}>
              <line className={value === 0 ? classes.zero : classes.grid} x2={width} />
              <text className={classes.valueLabel} x={-8} dy="0.32em">
                {shortNumber(value)}
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
        {kind === 'bars' ? (
          standingBars(plot, scale, width, inner).map((bar) => (
            <rect
              key={`${bar.point}-${bar.series}`}
              x={bar.left}
              y={bar.top}
              width={bar.width}
              height={bar.height}
              fill={colorOf(bar.tone)}
            />
          ))
        ) : (
          <Lines plot={plot} kind={kind} scale={scale} width={width} height={inner} />
        )}
      </g>
    </svg>
  );
}

type LinesProps = {
  plot: Plot;
  kind: Kind;
  scale: ReturnType<typeof valueScale>;
  width: number;
  height: number;
};

function Lines({ plot, kind, scale, width, height }: LinesProps) {
  return lines(plot, scale, width, height, kind).map(({ tone, series, path, area, dots }) => (
    <g key={series}>
      {area !== null && (
        <path d={area} fill={colorOf(tone)} fillOpacity={plot.stackable ? 0.72 : 0.2} />
      )}
      <path
        d={path}
        fill="none"
        stroke={colorOf(tone)}
        strokeWidth={area === null ? 2 : 1}
        strokeDasharray={area === null ? dashOf(tone) : 'none'}
        strokeLinejoin="round"
      />
      {dots.map(({ x, y, point }) => (
        <circle key={point} cx={x} cy={y} r={2.5} fill={colorOf(tone)} />
      ))}
    </g>
  ));
}
