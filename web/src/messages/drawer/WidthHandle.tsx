/** The edge of the drawer: drag it, or use the arrow keys, for another width. */
import { type KeyboardEvent, useState } from 'react';
import classes from './WidthHandle.module.css';

const WIDTH_PX_MIN = 340;
const WIDTH_PX_MAX = 1_400;
const STEP_PX = 16;

type Props = { width: number; onWidth: (px: number) => void };

export function WidthHandle({ width, onWidth }: Props) {
  const [from, setFrom] = useState<{ x: number; px: number } | null>(null);
  const set = (px: number) => onWidth(Math.min(Math.max(px, WIDTH_PX_MIN), WIDTH_PX_MAX));
  const byKey = (event: KeyboardEvent) => {
    const change = event.key === 'ArrowLeft' ? STEP_PX : event.key === 'ArrowRight' ? -STEP_PX : 0;
    if (change === 0) return;
    event.preventDefault();
    set(width + change);
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the message"
      aria-valuenow={width}
      aria-valuemin={WIDTH_PX_MIN}
      aria-valuemax={WIDTH_PX_MAX}
      tabIndex={0}
      className={classes.handle}
      data-dragged={from !== null}
      onKeyDown={byKey}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setFrom({
          x: event.clientX,
          px: event.currentTarget.parentElement?.offsetWidth ?? width,
        });
      }}
      onPointerMove={(event) => from !== null && set(from.px + from.x - event.clientX)}
      onPointerUp={() => setFrom(null)}
      onPointerCancel={() => setFrom(null)}
    />
  );
}
