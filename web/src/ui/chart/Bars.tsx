/** Stacked bars over time. Dragging, or the arrows with Shift, marks a span to zoom into. */
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { formatCount } from '../number';
import { type Cursor, movedCursor, spanOfCursor } from './selection';
import { countAxis, formatShort, timeTicks } from './ticks';
import { usePointer } from './usePointer';
import { type BarsView, eventText, eventsIn, spanText, sumOf, valueText } from './view';
import { layerPath } from './stack';
import { linePath } from './line';
import classes from './Bars.module.css';

type Props = BarsView & {
  label: string;
  /** Whether the bars are those of the previous request. */
  stale: boolean;
  onZoom: (from: number, to: number) => void;
  onZoomOut: () => void;
};

export function Bars(props: Props) {
  const { label, stack, stale, before = [], onZoom, onZoomOut } = props;
  const { ref, width, height } = useElementSize();
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const count = stack.times.length;
  const zoomTo = ({ first, last }: { first: number; last: number }) => {
    const from = stack.times[first];
    const to = stack.times[last];
    setCursor(null);
    if (from !== undefined && to !== undefined) onZoom(from, to + stack.intervalMs);
  };
  const pointer = usePointer({ count, width, setCursor, setHovered, zoomTo, onZoomOut });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = movedCursor(cursor, event.key, event.shiftKey, count);
    if (next !== null) setCursor(next);
    else if (event.key === 'Enter' && cursor !== null) zoomTo(spanOfCursor(cursor));
    else if (event.key === 'Escape' && cursor !== null) setCursor(null);
    else if (event.key === '-') onZoomOut();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = cursor?.at ?? hovered;
  const span = cursor === null ? null : spanOfCursor(cursor);
  const { top, marks } = countAxis(Math.max(stack.highest, ...before));
  const plotPx = Math.max(height - LABELS_PX, 0);
  return (
    <div className="flex">
      <Axis top={top} marks={marks} plotPx={plotPx} />
      <div
        ref={ref}
        className={classes.chart}
        data-stale={stale}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(count - 1, 0)}
        aria-valuenow={cursor?.at ?? Math.max(count - 1, 0)}
        aria-valuetext={valueText(props, cursor)}
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(null)}
        {...pointer}
      >
        {width > 0 && (
          <Plot
            {...props}
            top={top}
            marks={marks}
            width={width}
            plotPx={plotPx}
            cursor={cursor}
            hovered={hovered}
          />
        )}
        {shown !== null && (
          <Tip {...props} at={shown} span={span ?? { first: shown, last: shown }} width={width} />
        )}
      </div>
    </div>
  );
}

type AxisProps = { top: number; marks: readonly number[]; plotPx: number };

function Axis({ top, marks, plotPx }: AxisProps) {
  return (
    <div className={classes.axis} aria-hidden>
      {marks.map((mark) => (
        <span key={mark} style={{ top: plotPx * (1 - mark / top) }}>
          {formatShort(mark)}
        </span>
      ))}
    </div>
  );
}

/** The height of the time axis below the bars. */
const LABELS_PX = 20;
const TICK_PX = 96;
/** The width of the text at a tick. */
const LABEL_PX = 56;

type PlotProps = BarsView & {
  top: number;
  marks: readonly number[];
  width: number;
  plotPx: number;
  cursor: Cursor | null;
  hovered: number | null;
};

/** The bars themselves, with their time axis. */
function Plot(props: PlotProps) {
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

/** A line over the bars: the count of each bucket at another time. */
function Overlay({ counts, width, height, top }: OverlayProps) {
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

const TIP_PX = 232;

type TipProps = BarsView & { at: number; span: { first: number; last: number }; width: number };

/** The counts of the bar under the pointer, or of the marked span. */
function Tip(props: TipProps) {
  const { stack, zone, silent, before, events, at, width } = props;
  const { first, last } = props.span;
  const middle = ((at + 0.5) / stack.times.length) * width;
  // The tip is next to its bar, and never covers it.
  const left = middle + 12 + TIP_PX > width ? middle - 12 - TIP_PX : middle + 12;
  const isSilent = first === last && silent[at] === true;
  const parts = stack.layers
    .map(({ label, color, counts }) => ({ label, color, count: sumOf(counts, first, last) }))
    .filter(({ count }) => count > 0 && stack.layers.length > 1);
  return (
    <div className={classes.tip} style={{ left: Math.max(left, 0), width: TIP_PX }} aria-hidden>
      <div className="dimmed">{spanText(stack, first, last, zone)}</div>
      <div className="flex spread gap12">
        <strong>{isSilent ? 'Nothing was received' : 'Messages'}</strong>
        <strong>{formatCount(sumOf(stack.totals, first, last))}</strong>
      </div>
      {parts.toReversed().map(({ label, color, count }) => (
        <div key={label} className="flex spread gap12">
          <span className="row gap8 minWidth0 truncate">
            <span className="swatch" style={{ background: color }} />
            {label}
          </span>
          <span>{formatCount(count)}</span>
        </div>
      ))}
      {before !== undefined && (
        <div className="flex spread gap12">
          <span className="row gap8 minWidth0 truncate">Range before</span>
          <span>{formatCount(sumOf(before, first, last))}</span>
        </div>
      )}
      {eventsIn(stack, events, first, last).map((event) => (
        <div key={`${event.at} ${event.text}`}>{eventText(event, zone)}</div>
      ))}
    </div>
  );
}
