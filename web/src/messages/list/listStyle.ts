/** The dimensions that all rows of a list share. */
import type { CSSProperties } from 'react';
import type { RowLayout } from '../../ui/message/rowLayout';
import type { Times } from '../../ui/message/times';
import { useBrowserState } from '../../ui/useBrowserState';
import { type Widths, tracks } from './columns';
import { type Room, lineTracks } from './lineOrder';

type Measures = {
  times: Times;
  columns: readonly string[];
  widths: Widths;
  layout: RowLayout;
  room: Room;
  linePx: number;
};

export function listStyle({
  times,
  columns,
  widths,
  layout,
  room,
  linePx,
}: Measures): CSSProperties {
  return {
    '--time-width': `${timePx[times]}px`,
    '--tracks': tracks(columns, widths),
    '--line-tracks': lineTracks(layout, room),
    '--row-height': `${linePx}px`,
  } as CSSProperties;
}

/** The extra height of a table row compared with a line: padding, and a border. */
export const TABLE_MORE_PX = 5;

const timePx: Readonly<Record<Times, number>> = {
  absolute: 92,
  relative: 76,
  device: 136,
  received: 136,
};

type Density = 'small' | 'medium';

const LINE_PX = { small: 20, medium: 24 } as const;

/**
 * The reader's preferences for lists of messages. This browser keeps them. The distance between
 * rows.
 */
export function useDensity() {
  const [density, setDensity] = useBrowserState<Density>({
    key: 'logstead-density',
    defaultValue: 'medium',
  });
  return { density, setDensity, linePx: LINE_PX[density] };
}

/** Whether repeats of a message are folded into one row. */
export function useFolding() {
  return useBrowserState({ key: 'logstead-fold', defaultValue: true });
}

/** The widths of the table's columns. */
export function useWidths() {
  return useBrowserState<Widths>({ key: 'logstead-column-widths', defaultValue: {} });
}
