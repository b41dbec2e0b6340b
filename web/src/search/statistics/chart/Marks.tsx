/** The bars, lines or areas of a plot along time: one path for each series, however many points it has. */
import type { Plot } from '../pivot';
import { type Kind, type Scale, barPaths, lines } from './layout';
import { colorOf } from './palette';
import classes from './Chart.module.css';

type Props = {
  plot: Plot;
  kind: Kind;
  scale: Scale;
  width: number;
  height: number;
  /** The series that stands out. */
  isolated: string | null;
};

export function Marks({ plot, kind, scale, width, height, isolated }: Props) {
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
