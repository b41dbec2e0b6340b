/** The measures that all rows of a list share. */
import type { CSSProperties } from 'react';
import type { RowLayout } from '../../ui/message/rowLayout';
import type { Times } from '../../ui/message/times';
import { type Widths, tracks } from './columns';
import { lineTracks } from './lineOrder';
import type { Room } from './useRoom';

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
    '--time-width': `${timePx(times)}px`,
    '--tracks': tracks(columns, widths),
    '--line-tracks': lineTracks(layout, room),
    '--row-height': `${linePx}px`,
  } as CSSProperties;
}

/** The extra height of a table row over a line: room, and a border. */
export const TABLE_MORE_PX = 5;

function timePx(times: Times): number {
  switch (times) {
    case 'absolute':
      return 92;
    case 'relative':
      return 76;
    case 'device':
    case 'received':
      return 136;
  }
}
