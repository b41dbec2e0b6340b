/** Stacked bars over time. Dragging, or the arrows with Shift, marks a span to look at more closely. */
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { LABELS_PX, Plot } from './Plot';
import { Tip } from './Tip';
import { type Cursor, movedCursor, spanOfCursor } from './selection';
import { countAxis, formatShort } from './ticks';
import { usePointer } from './usePointer';
import { type BarsView, valueText } from './view';
import classes from './Bars.module.css';

type Props = BarsView & {
  label: string;
  /** The bars are those of the last request. */
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
