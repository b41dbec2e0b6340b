/**
 * The frame of a chart: where the plot lies in its element, and which point is where. Pure: numbers in, places in
 * pixels out.
 */
import type { Plot } from '../pivot';
import { type Box, pointAt, timeSlots } from './layout';

/** A plot over time has a slot for each point, a plot by names has a row. */
export type Frame = {
  isTime: boolean;
  /** The room to the left of the plot, for the labels of its axis. */
  left: number;
  plotWidth: number;
  height: number;
  slots: readonly { left: number; width: number }[];
};

/** The width of a letter of a name: 12 px, monospaced. */
export const CHARACTER = 7.3;
/** The height of a table row, so that the bar of a name is aligned with its row. */
export const BAR_ROW_PX = 28;

const LEFT = 64;
/** The width of half of the last label of a time axis. */
const RIGHT = 20;

/** A plot over time takes the available height, a plot by names takes what its rows need. */
export function frameOf(plot: Plot, width: number, height: number): Frame {
  const isTime = plot.axis === 'time';
  const left = isTime ? LEFT : nameWidth(plot, width);
  const plotWidth = Math.max(40, width - left - RIGHT);
  return {
    isTime,
    left,
    plotWidth,
    height: isTime ? height : plot.points.length * BAR_ROW_PX,
    slots: isTime ? timeSlots(plot, plotWidth) : [],
  };
}

/** The point at a position in the element. */
export function pointUnder(frame: Frame, count: number, x: number, y: number): number {
  if (frame.isTime) return pointAt(frame.slots, x - frame.left);
  return Math.min(count - 1, Math.max(0, Math.floor(y / BAR_ROW_PX)));
}

/** The box of a point, next to which a menu can open. */
export function boxOf({ isTime, left, slots }: Frame, point: number): Box {
  const slot = slots[point];
  return isTime
    ? { left: left + (slot?.left ?? 0), top: 40, width: slot?.width ?? 0, height: 20 }
    : { left, top: point * BAR_ROW_PX, width: 40, height: BAR_ROW_PX };
}

/** The position of the box with the values of a point. */
export function readingAt(frame: Frame, point: number): { x: number; y: number } {
  const { left, width } = boxOf(frame, point);
  return frame.isTime
    ? { x: left + width / 2, y: 8 }
    : { x: frame.left + frame.plotWidth / 2, y: (point + 1) * BAR_ROW_PX };
}

/** The point that a key moves to; null for other keys. */
export function nextPoint(key: string, marked: number | null, count: number): number | null {
  const from = marked ?? -1;
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return Math.min(count - 1, from + 1);
    case 'ArrowLeft':
    case 'ArrowUp':
      return marked === null ? count - 1 : Math.max(0, from - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

/** A very long name is cut in the middle, so that the bars keep most of the width. */
function nameWidth(plot: Plot, width: number): number {
  const longest = plot.points.reduce((most, { name }) => Math.max(most, name.length), 0);
  return Math.ceil(Math.min(longest * CHARACTER + 16, width * 0.36));
}
