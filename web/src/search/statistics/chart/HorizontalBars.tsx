/** A plot along names: a row for each, as long as its value, which stands next to it. */
import type { WriteNumber } from '../number';
import type { Plot } from '../pivot';
import { CHARACTER, BAR_ROW_PX } from './frame';
import { along, isStacked, horizontalBars, valueScale } from './layout';
import { colorOf } from './palette';
import { writerFor } from './pointText';
import classes from './Chart.module.css';

type Props = {
  plot: Plot;
  width: number;
  left: number;
  marked: number | null;
  isolated: string | null;
};

/** Room behind the longest bar for its number. */
const NUMBER = 88;

export function HorizontalBars({ plot, width, left, marked, isolated }: Props) {
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
          const total = totalAt(plot, row, write);
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

/** Ends at the longest bar, not at a round value: there are no ticks here, the numbers stand next to the bars. */
function horizontalScale(plot: Plot) {
  const { low } = valueScale(plot, 'bars', 4);
  const high = plot.points.reduce(
    (most, _, row) => Math.max(most, totalAt(plot, row, String)?.end ?? 0),
    0,
  );
  return { low, high: high > low ? high : low + 1, ticks: [] };
}

/** The label next to a row: the sum of a stack, or the one value; none if there are several. */
function totalAt(
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
