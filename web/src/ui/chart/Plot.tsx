/** The bars themselves, with their axis of times. */
import { useId, useMemo } from 'react';
import { type Cursor, spanOfCursor } from './selection';
import { layerPath } from './stack';
import { timeTicks } from './ticks';
import type { BarsView } from './view';
import { linePath } from './line';
import classes from './Bars.module.css';

/** The height of the time axis below the bars. */
export const LABELS_PX = 20;
const TICK_PX = 96;
/** The width of the text at a tick. */
const LABEL_PX = 56;

type Props = BarsView & {
  top: number;
  marks: readonly number[];
  width: number;
  plotPx: number;
  cursor: Cursor | null;
  hovered: number | null;
};

export function Plot(props: Props) {
  const { stack, zone, silent, known, before, events = [], cursor, hovered } = props;
  const { top, marks, width, plotPx } = props;
  const id = useId();
  const { times, intervalMs, layers } = stack;
  const paths = useMemo(
    () => layers.map((_, at) => layerPath(layers, at, { width, height: plotPx, top })),
    [layers, width, plotPx, top],
  );
  const step = width / Math.max(times.length, 1);
  const start = times[0] ?? 0;
  const end = (times.at(-1) ?? 0) + intervalMs;
  const ticks = timeTicks(start, end, Math.floor(width / TICK_PX), zone);
  const marked = cursor === null ? null : spanOfCursor(cursor);
  return (
    <svg className={classes.plot} width={width} height={plotPx + LABELS_PX} aria-hidden>
      <Patterns id={id} />
      {marks.map((mark) => (
        <line
          key={mark}
          className={classes.grid}
          x2={width}
          y1={plotPx * (1 - mark / top)}
          y2={plotPx * (1 - mark / top)}
        />
      ))}
      {hovered !== null && (
        <rect className={classes.hovered} x={hovered * step} width={step} height={plotPx} />
      )}
      {layers.map(({ label, color, pattern }, at) => (
        <g key={label}>
          <path d={paths[at]} fill={color} />
          {pattern !== 'none' && <path d={paths[at]} fill={`url(#${id}-${pattern})`} />}
        </g>
      ))}
      {silent.map(
        (isSilent, at) =>
          isSilent && (
            <rect
              key={at}
              x={at * step}
              y={plotPx - 8}
              width={step}
              height={8}
              fill={`url(#${id}-silence)`}
            />
          ),
      )}
      {before !== undefined && <Overlay counts={before} width={width} height={plotPx} top={top} />}
      {events.map(({ at, text }) => (
        <path
          key={`${at} ${text}`}
          className={classes.event}
          d={`M${((at - start) / (end - start)) * width} 0V${plotPx}`}
        />
      ))}
      {known < 1 && (
        <rect width={width * (1 - known)} height={plotPx} fill={`url(#${id}-unknown)`} />
      )}
      <line className={classes.base} x2={width} y1={plotPx + 0.5} y2={plotPx + 0.5} />
      {marked !== null && (
        <rect
          className={classes.marked}
          x={marked.first * step + 0.5}
          width={(marked.last - marked.first + 1) * step - 1}
          y={0.5}
          height={plotPx}
        />
      )}
      {ticks.map(({ at, text, isDay }) => (
        <g key={at} transform={`translate(${((at - start) / (end - start)) * width} 0)`}>
          <line className={classes.tick} x1={0.5} x2={0.5} y1={plotPx} y2={plotPx + 4} />
          {((end - at) / (end - start)) * width > LABEL_PX && (
            <text className={classes.time} data-day={isDay} x={4} y={plotPx + 15}>
              {text}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-diagonal`} width="5" height="5" patternUnits="userSpaceOnUse">
        <path className={classes.stroke} d="M-1 1l2-2M0 5l5-5M4 6l2-2" />
      </pattern>
      <pattern id={`${id}-cross`} width="4" height="4" patternUnits="userSpaceOnUse">
        <path className={classes.stroke} d="M0 0l4 4M4 0l-4 4" />
      </pattern>
      <pattern id={`${id}-silence`} width="4" height="4" patternUnits="userSpaceOnUse">
        <path className={classes.hatch} d="M-1 1l2-2M0 4l4-4M3 5l2-2" />
      </pattern>
      <pattern id={`${id}-unknown`} width="8" height="8" patternUnits="userSpaceOnUse">
        <path className={classes.unknown} d="M-2 2l4-4M0 8l8-8M6 10l4-4" />
      </pattern>
    </defs>
  );
}

type OverlayProps = { counts: readonly number[]; width: number; height: number; top: number };

/** A line over the bars: how many there were in each bucket at another time. */
export function Overlay({ counts, width, height, top }: OverlayProps) {
  const path = useMemo(
    () => linePath(counts, { width, height, top }),
    [counts, width, height, top],
  );
  return (
    <>
      <path className={classes.halo} d={path} />
      <path className={classes.line} d={path} />
    </>
  );
}
