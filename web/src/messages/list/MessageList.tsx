/** The table of messages that Search and Tail show, as lines or with columns. Only the rows in view are in the page. */
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type Ref,
  memo,
  useRef,
  useState,
} from 'react';
import { Menu, VisuallyHidden } from '@mantine/core';
import {
  IconArrowLeft,
  IconArrowRight,
  IconArrowsHorizontal,
  IconChartBar,
  IconX,
} from '@tabler/icons-react';
import { MenuItem } from '../../ui/MenuItem';
import {
  MessageLine,
  type RowProps as LineProps,
  rowAttributes,
  rowHead,
  valueOf,
} from '../../ui/message/MessageLine';
import { type LinePart, type RowLayout, lineParts, shownParts } from '../../ui/message/rowLayout';
import { dayLabel, type Times } from '../../ui/message/times';
import { Severity } from '../../ui/Severity';
import { Repeats } from '../../ui/message/Repeats';
import { SmartText } from '../../ui/message/SmartText';
import { valuesOf } from '../../ui/message/fields';
import { ROW_CHARACTERS_MAX, cut } from '../../ui/message/text';
import type { View } from '../messageState';
import {
  COLUMN_PX_MAX,
  COLUMN_PX_MIN,
  type Widths,
  moved,
  toggled,
  tracks,
  widthOf,
  withWidth,
  withoutWidth,
} from './columns';
import { listStyle, useWidths } from './listStyle';
import { type Room, movedPart, useLineOrder } from './lineOrder';
import { useColumnMoves } from './useColumnMoves';
import classes from './Rows.module.css';
import tableClasses from './Table.module.css';
import linesHeadClasses from './LinesHead.module.css';

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
  /** The number of all rows and the header, or -1 while more may follow. */
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
  /** Measures the row; null if its height is known. */
  measure: Ref<HTMLDivElement> | null;
  children: ReactNode;
};

/** A row at its position among all rows. */
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

type TableRowProps = LineProps & {
  columns: readonly string[];
  /** The field at the cursor, for the current row. */
  field: string | null;
};

/** A message as a row of the table: severity, time, and the fields that the reader chose. */
const TableRow = memo(function TableRow(props: TableRowProps) {
  const { columns, field } = props;
  return (
    <div {...rowAttributes(props)} className={tableClasses.row}>
      {rowHead(props)}
      {columns.map((column) => (
        <span key={column} role="cell" className={tableClasses.cell} data-cursor={column === field}>
          <Cell {...props} column={column} />
        </span>
      ))}
    </div>
  );
});

function Cell({ message, column, hits, wrap, layout, fold }: TableRowProps & { column: string }) {
  if (column === 'message') {
    return (
      <>
        {fold !== undefined && <Repeats fold={fold} />}
        <SmartText message={message} hits={hits} wrap={wrap} profile={layout?.profile} />
      </>
    );
  }
  if (column === 'severity' && message.severity_name !== null) {
    return (
      <span data-field="severity" data-value={message.severity_name} className={tableClasses.value}>
        <Severity message={message} />
      </span>
    );
  }
  const values = valuesOf(message, column);
  if (values.length === 0) return valueOf(column, '', hits);
  return values.map((value, at) => (
    <span key={at}>
      {at > 0 && ', '}
      {valueOf(column, cut(value, ROW_CHARACTERS_MAX).text, hits)}
    </span>
  ));
}

/**
 * The head of lines: their parts, the day of the first line in view, and what all lines have in
 * common. Drawn again when it has something else to say, not with every row that comes into view.
 */
const LinesHead = memo(function LinesHead({ day, layout }: { day: string; layout: RowLayout }) {
  const { host, program } = layout;
  const [order, setOrder] = useLineOrder();
  const parts = shownParts(layout);
  const moves = useColumnMoves({
    columns: parts,
    onMove: (part, to) => setOrder(movedPart(order, part, to)),
  });
  return (
    <div role="row" aria-rowindex={1} className={linesHeadClasses.head}>
      <span role="columnheader">
        <VisuallyHidden>Severity</VisuallyHidden>
      </span>
      <span role="columnheader" aria-label="Time" className={linesHeadClasses.day} title={day}>
        {day.replace(/ \d{4}$/u, '')}
      </span>
      {parts.map((part, at) => (
        <span
          key={part}
          role="columnheader"
          aria-label={partNames[part]}
          className={part === 'message' ? linesHeadClasses.message : undefined}
          {...moves.place(part)}
        >
          <PartMenu
            at={at}
            count={parts.length}
            onMove={(step) => moves.by(part, step)}
            onReset={() => setOrder(lineParts)}
          >
            <button
              type="button"
              className={linesHeadClasses.part}
              title="Drag, or Alt with an arrow key, to move it"
              onKeyDown={moves.onKeyDown(part)}
              {...moves.grip(part)}
            >
              {partNames[part]}
            </button>
          </PartMenu>
          {part === 'message' && (
            <>
              <Common name="host" value={host.only} />
              <Common name="program" value={program.only} />
            </>
          )}
        </span>
      ))}
    </div>
  );
});

const partNames: Readonly<Record<LinePart, string>> = {
  host: 'Host',
  program: 'Program',
  message: 'Message',
  logspace: 'Logspace',
};

type PartMenuProps = {
  at: number;
  count: number;
  onMove: (step: -1 | 1) => void;
  onReset: () => void;
  children: ReactNode;
};

function PartMenu({ at, count, onMove, onReset, children }: PartMenuProps) {
  return (
    <Menu position="bottom-start" withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <MenuItem
          icon={IconArrowLeft}
          label="Move left"
          disabled={at === 0}
          onClick={() => onMove(-1)}
        />
        <MenuItem
          icon={IconArrowRight}
          label="Move right"
          disabled={at === count - 1}
          onClick={() => onMove(1)}
        />
        <Menu.Divider />
        <Menu.Item onClick={onReset}>Reset order</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** A value that all lines share, so that it need not be repeated in each. */
function Common({ name, value }: { name: string; value: string | null }) {
  if (value === null || value === '') return null;
  return (
    <span className={linesHeadClasses.common} title={`All from ${name} ${value}`}>
      {name} <b>{value}</b>
    </span>
  );
}

const STEP_PX = 8;
const LEAP_PX = 40;

type TableHeadProps = {
  day: string;
  columns: readonly string[];
  widths: Widths;
  onColumns: (columns: string[]) => void;
  onWidths: (widths: Widths) => void;
  /** Called while an edge is being dragged. */
  onDraft: (widths: Widths) => void;
  onStatistics: (field: string) => void;
};

/**
 * The headers of the table's columns: drag them to another position, drag their edges to change the
 * width, or use their menus.
 */
function TableHead(props: TableHeadProps) {
  const { day, columns, onColumns } = props;
  const moves = useColumnMoves({
    columns,
    onMove: (field, to) => onColumns(moved(columns, field, columns.indexOf(to ?? ''))),
  });
  return (
    <div role="row" aria-rowindex={1} className={tableClasses.row} data-head>
      <span role="columnheader">
        <VisuallyHidden>Severity</VisuallyHidden>
      </span>
      <span role="columnheader" aria-label="Time" className={tableClasses.day}>
        {day}
      </span>
      {columns.map((field) => (
        <div
          key={field}
          role="columnheader"
          aria-label={field}
          className={tableClasses.column}
          {...moves.place(field)}
        >
          <div className="flex grow minWidth0" {...moves.grip(field)}>
            <ColumnMenu {...props} field={field} onKeyDown={moves.onKeyDown(field)} />
          </div>
          <Edge {...props} field={field} />
        </div>
      ))}
    </div>
  );
}

function ColumnMenu({
  field,
  columns,
  widths,
  onColumns,
  onWidths,
  onStatistics,
  onKeyDown,
}: TableHeadProps & { field: string; onKeyDown: (event: KeyboardEvent<HTMLElement>) => void }) {
  const at = columns.indexOf(field);
  return (
    <Menu position="bottom-start" withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <button
          type="button"
          className={tableClasses.name}
          title="Drag, or Alt with an arrow key, to move it"
          onKeyDown={onKeyDown}
        >
          {field}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItem
          icon={IconArrowLeft}
          label="Move left"
          disabled={at === 0}
          onClick={() => onColumns(moved(columns, field, at - 1))}
        />
        <MenuItem
          icon={IconArrowRight}
          label="Move right"
          disabled={at === columns.length - 1}
          onClick={() => onColumns(moved(columns, field, at + 1))}
        />
        <MenuItem
          icon={IconArrowsHorizontal}
          label="Reset width"
          onClick={() => onWidths(withoutWidth(widths, field))}
        />
        <MenuItem icon={IconChartBar} label="Top 20 values" onClick={() => onStatistics(field)} />
        <Menu.Divider />
        <MenuItem
          icon={IconX}
          label="Hide column"
          onClick={() => onColumns(toggled(columns, field))}
        />
      </Menu.Dropdown>
    </Menu>
  );
}

function Edge({ field, widths, onWidths, onDraft }: TableHeadProps & { field: string }) {
  const width = widthOf(field, widths);
  const [drag, setDrag] = useState<{ x: number; px: number } | null>(null);
  const at = (event: PointerEvent) =>
    withWidth(widths, field, (drag?.px ?? width) + event.clientX - (drag?.x ?? event.clientX));
  const byKey = (event: KeyboardEvent) => {
    const step = event.shiftKey ? LEAP_PX : STEP_PX;
    const change = event.key === 'ArrowRight' ? step : event.key === 'ArrowLeft' ? -step : 0;
    if (change === 0) return;
    event.preventDefault();
    event.stopPropagation();
    onWidths(withWidth(widths, field, width + change));
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${field}`}
      aria-valuenow={width}
      aria-valuemin={COLUMN_PX_MIN}
      aria-valuemax={COLUMN_PX_MAX}
      tabIndex={0}
      className={tableClasses.edge}
      data-dragged={drag !== null}
      onKeyDown={byKey}
      onDoubleClick={() => onWidths(withoutWidth(widths, field))}
      onPointerDown={(event) => {
        const px = event.currentTarget.parentElement?.offsetWidth ?? width;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ x: event.clientX, px });
      }}
      onPointerMove={(event) => drag !== null && onDraft(at(event))}
      onPointerUp={(event) => {
        if (drag !== null && event.clientX !== drag.x) onWidths(at(event));
        setDrag(null);
      }}
      onPointerCancel={() => setDrag(null)}
    />
  );
}
