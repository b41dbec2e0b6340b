/** The table of messages that Search and Tail show, as lines or with columns. Only the rows in view are in the page. */
import { type ReactNode, type Ref, useRef } from 'react';
import { MessageLine } from '../../ui/message/MessageLine';
import type { RowLayout } from '../../ui/message/rowLayout';
import { dayLabel } from '../../ui/message/times';
import type { Times } from '../../ui/message/times';
import type { View } from '../messageState';
import { LinesHead } from './LinesHead';
import { TableHead } from './TableHead';
import { TableRow } from './TableRow';
import { tracks } from './columns';
import { useWidths } from './listPreferences';
import { listStyle } from './listStyle';
import type { Room } from './useRoom';
import classes from './Rows.module.css';

type Props = {
  label: string;
  view: View;
  columns: readonly string[];
  times: Times;
  layout: RowLayout;
  room: Room;
  linePx: number;
  /** The day of the first row in view. */
  day: string;
  /** All rows and the head, or -1 while more may come. */
  rowCount: number;
  /** The height of all rows. */
  height: number;
  onColumns: (columns: string[]) => void;
  onStatistics: (field: string) => void;
  children: ReactNode;
};

export function MessageList(props: Props) {
  const { label, view, columns, times, layout, room, linePx, rowCount, height } = props;
  const table = useRef<HTMLDivElement>(null);
  const [widths, setWidths] = useWidths();
  const isTable = view === 'table';
  const day = dayLabel(props.day);
  return (
    <div
      ref={table}
      className={classes.table}
      role="table"
      aria-label={label}
      aria-rowcount={rowCount}
      data-view={view}
      data-narrow={!isTable && room === 'narrow'}
      style={listStyle({ times, columns, widths, layout, room, linePx })}
    >
      <div role="rowgroup" className={classes.head}>
        {isTable ? (
          <TableHead
            day={day}
            columns={columns}
            widths={widths}
            onColumns={props.onColumns}
            onWidths={setWidths}
            onDraft={(next) => table.current?.style.setProperty('--tracks', tracks(columns, next))}
            onStatistics={props.onStatistics}
          />
        ) : (
          <LinesHead day={day} layout={layout} />
        )}
      </div>
      <div role="rowgroup" className={classes.body} style={{ height }}>
        {props.children}
      </div>
    </div>
  );
}

type ItemProps = {
  index: number;
  start: number;
  /** Measures the row; null where its height is known. */
  measure: Ref<HTMLDivElement> | null;
  children: ReactNode;
};

/** A row at its place among all rows. */
export function ListItem({ index, start, measure, children }: ItemProps) {
  return (
    <div
      ref={measure}
      data-index={index}
      className={classes.item}
      style={{ transform: `translateY(${start}px)` }}
    >
      {children}
    </div>
  );
}

type RowProps = Omit<Parameters<typeof TableRow>[0], 'columns'> & {
  view: View;
  columns: readonly string[];
};

export function MessageRow({ view, columns, ...row }: RowProps) {
  return view === 'lines' ? <MessageLine {...row} /> : <TableRow columns={columns} {...row} />;
}
