/** Stacked bars over time. Dragging, or the arrows with Shift, marks a span to look at more closely. */
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useId, useMemo, useRef, useState } from 'react';
import { formatCount } from '../number';
import { type Zone, formatTime } from '../time';
import { type Cursor, moved, spanOfCursor } from './selection';
import { type Stack, layerPath } from './stack';
import { formatShort, roundUp, timeTicks } from './ticks';
import classes from './Bars.module.css';

type Props = {
  label: string;
  stack: Stack;
  zone: Zone;
  /** Where nothing at all came in, which is not the same as nothing that matches. */
  silent: readonly boolean[];
  /** How much of the span, from its end, is known yet: 0 to 1. */
  known: number;
  /** What is shown belongs to the question before. */
  stale: boolean;
  onZoom: (from: number, to: number) => void;
  onZoomOut: () => void;
};

const PLOT_PX = 80;
const TICK_PX = 96;
/** What the text at a tick takes. */
const LABEL_PX = 56;
/** A press that moves less is a click. */
const DRAG_PX = 4;
const DOUBLE_CLICK_MS = 240;

export function Bars(props: Props) {
  const { label, stack, zone, stale, onZoom, onZoomOut } = props;
  const { ref, width } = useElementSize();
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
    const next = moved(cursor, event.key, event.shiftKey, count);
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
  const top = roundUp(Math.max(stack.highest, 1));
  return (
    <div className={classes.frame}>
      <Axis top={top} />
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
        aria-valuetext={valueText(stack, cursor, zone)}
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(null)}
        {...pointer}
      >
        {width > 0 && <Plot {...props} top={top} width={width} cursor={cursor} hovered={hovered} />}
        {shown !== null && (
          <Tip {...props} at={shown} span={span ?? { first: shown, last: shown }} width={width} />
        )}
      </div>
    </div>
  );
}

function Axis({ top }: { top: number }) {
  return (
    <div className={classes.axis} aria-hidden>
      <span>{formatShort(top)}</span>
      {top > 1 && <span style={{ top: PLOT_PX / 2 }}>{formatShort(top / 2)}</span>}
    </div>
  );
}

type PointerProps = {
  count: number;
  width: number;
  setCursor: (cursor: Cursor | null) => void;
  setHovered: (at: number | null) => void;
  zoomTo: (span: { first: number; last: number }) => void;
  onZoomOut: () => void;
};

function usePointer({ count, width, setCursor, setHovered, zoomTo, onZoomOut }: PointerProps) {
  const press = useRef<{ x: number; at: number; moved: boolean } | null>(null);
  const click = useRef<ReturnType<typeof setTimeout>>(undefined);
  const placeOf = (event: PointerEvent) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const at = Math.floor((x / Math.max(width, 1)) * count);
    return { x, at: Math.min(Math.max(at, 0), count - 1) };
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || count === 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      press.current = { ...placeOf(event), moved: false };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (count === 0) return;
      const { x, at } = placeOf(event);
      setHovered(at);
      const from = press.current;
      if (from === null) return;
      from.moved ||= Math.abs(x - from.x) >= DRAG_PX;
      if (from.moved) setCursor({ at, anchor: from.at });
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      const from = press.current;
      press.current = null;
      if (from === null) return;
      const { at } = placeOf(event);
      if (from.moved) {
        zoomTo(spanOfCursor({ at, anchor: from.at }));
        return;
      }
      // A first click may be half of a double one.
      clearTimeout(click.current);
      click.current = setTimeout(() => zoomTo({ first: at, last: at }), DOUBLE_CLICK_MS);
    },
    onPointerCancel: () => {
      press.current = null;
      setCursor(null);
    },
    onPointerLeave: () => setHovered(null),
    onDoubleClick: () => {
      clearTimeout(click.current);
      onZoomOut();
    },
  };
}

type PlotProps = Props & {
  top: number;
  width: number;
  cursor: Cursor | null;
  hovered: number | null;
};

function Plot({ stack, zone, silent, known, top, width, cursor, hovered }: PlotProps) {
  const id = useId();
  const { times, intervalMs, layers } = stack;
  const paths = useMemo(
    () => layers.map((_, at) => layerPath(layers, at, { width, height: PLOT_PX, top })),
    [layers, width, top],
  );
  const step = width / Math.max(times.length, 1);
  const start = times[0] ?? 0;
  const end = (times.at(-1) ?? 0) + intervalMs;
  const ticks = timeTicks(start, end, Math.floor(width / TICK_PX), zone);
  const marked = cursor === null ? null : spanOfCursor(cursor);
  return (
    <svg className={classes.plot} width={width} height={PLOT_PX + 20} aria-hidden>
      <Patterns id={id} />
      <line className={classes.grid} x2={width} y1={0.5} y2={0.5} />
      <line className={classes.grid} x2={width} y1={PLOT_PX / 2} y2={PLOT_PX / 2} />
      {hovered !== null && (
        <rect className={classes.hovered} x={hovered * step} width={step} height={PLOT_PX} />
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
              y={PLOT_PX - 8}
              width={step}
              height={8}
              fill={`url(#${id}-silence)`}
            />
          ),
      )}
      {known < 1 && (
        <rect width={width * (1 - known)} height={PLOT_PX} fill={`url(#${id}-unknown)`} />
      )}
      <line className={classes.base} x2={width} y1={PLOT_PX + 0.5} y2={PLOT_PX + 0.5} />
      {marked !== null && (
        <rect
          className={classes.marked}
          x={marked.first * step + 0.5}
          width={(marked.last - marked.first + 1) * step - 1}
          y={0.5}
          height={PLOT_PX}
        />
      )}
      {ticks.map(({ at, text, isDay }) => (
        <g key={at} transform={`translate(${((at - start) / (end - start)) * width} 0)`}>
          <line className={classes.tick} x1={0.5} x2={0.5} y1={PLOT_PX} y2={PLOT_PX + 4} />
          {((end - at) / (end - start)) * width > LABEL_PX && (
            <text className={classes.time} data-day={isDay} x={4} y={PLOT_PX + 15}>
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

const TIP_PX = 232;

type TipProps = Props & { at: number; span: { first: number; last: number }; width: number };

function Tip({ stack, zone, silent, at, span: { first, last }, width }: TipProps) {
  const middle = ((at + 0.5) / stack.times.length) * width;
  // Beside the bar it speaks of, never over it.
  const left = middle + 12 + TIP_PX > width ? middle - 12 - TIP_PX : middle + 12;
  const isSilent = first === last && silent[at] === true;
  const parts = stack.layers
    .map(({ label, color, counts }) => ({ label, color, count: sumOf(counts, first, last) }))
    .filter(({ count }) => count > 0 && stack.layers.length > 1);
  return (
    <div className={classes.tip} style={{ left: Math.max(left, 0), width: TIP_PX }} aria-hidden>
      <div className={classes.tipTime}>{spanText(stack, first, last, zone)}</div>
      <div className={classes.tipRow}>
        <strong>{isSilent ? 'Nothing was received' : 'Messages'}</strong>
        <strong>{formatCount(sumOf(stack.totals, first, last))}</strong>
      </div>
      {parts.toReversed().map(({ label, color, count }) => (
        <div key={label} className={classes.tipRow}>
          <span className={classes.tipLabel}>
            <span className={classes.swatch} style={{ background: color }} />
            {label}
          </span>
          <span>{formatCount(count)}</span>
        </div>
      ))}
    </div>
  );
}

function sumOf(counts: readonly number[], first: number, last: number): number {
  return counts.slice(first, last + 1).reduce((sum, each) => sum + each, 0);
}

/** What a screen reader says of the place of the cursor. */
function valueText(stack: Stack, cursor: Cursor | null, zone: Zone): string {
  if (cursor === null) return 'Arrow keys walk, with Shift they mark, Enter zooms, minus zooms out';
  const { first, last } = spanOfCursor(cursor);
  const parts = stack.layers.flatMap(({ label, counts }) => {
    const count = sumOf(counts, first, last);
    return count > 0 && stack.layers.length > 1 ? [`${label} ${count}`] : [];
  });
  const total = sumOf(stack.totals, first, last);
  return [spanText(stack, first, last, zone), `${total} messages`, ...parts].join(', ');
}

function spanText({ times, intervalMs }: Stack, first: number, last: number, zone: Zone): string {
  const from = textOf(times[first] ?? 0, zone);
  const to = textOf((times[last] ?? 0) + intervalMs, zone);
  return `${from} – ${to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to}`;
}

/** To the second where that is enough. */
function textOf(at: number, zone: Zone): string {
  return formatTime(new Date(at).toISOString(), zone).replace(/\.000$/, '');
}
