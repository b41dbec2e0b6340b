/** The heads of the table's columns: drag them to another place, drag their edges for another width, or use their menus. */
import { Menu, VisuallyHidden } from '@mantine/core';
import {
  IconArrowLeft,
  IconArrowRight,
  IconArrowsHorizontal,
  IconChartBar,
  IconX,
} from '@tabler/icons-react';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import {
  COLUMN_PX_MAX,
  COLUMN_PX_MIN,
  type Widths,
  moved,
  toggled,
  widthOf,
  withWidth,
  withoutWidth,
} from './columns';
import { useColumnMoves } from './useColumnMoves';
import classes from './Table.module.css';

const STEP_PX = 8;
const LEAP_PX = 40;

type Props = {
  day: string;
  columns: readonly string[];
  widths: Widths;
  onColumns: (columns: string[]) => void;
  onWidths: (widths: Widths) => void;
  /** Called while an edge is dragged, before it is let go. */
  onDraft: (widths: Widths) => void;
  onStatistics: (field: string) => void;
};

export function TableHead(props: Props) {
  const { day, columns, onColumns } = props;
  const moves = useColumnMoves({
    columns,
    onMove: (field, to) => onColumns(moved(columns, field, columns.indexOf(to ?? ''))),
  });
  return (
    <div role="row" aria-rowindex={1} className={classes.row} data-head>
      <span role="columnheader">
        <VisuallyHidden>Severity</VisuallyHidden>
      </span>
      <span role="columnheader" aria-label="Time" className={classes.day}>
        {day}
      </span>
      {columns.map((field) => (
        <div
          key={field}
          role="columnheader"
          aria-label={field}
          className={classes.column}
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
}: Props & { field: string; onKeyDown: (event: KeyboardEvent<HTMLElement>) => void }) {
  const at = columns.indexOf(field);
  return (
    <Menu position="bottom-start" withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <button
          type="button"
          className={classes.name}
          title="Drag, or Alt with an arrow key, to move it"
          onKeyDown={onKeyDown}
        >
          {field}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconArrowLeft size={16} />}
          disabled={at === 0}
          onClick={() => onColumns(moved(columns, field, at - 1))}
        >
          Move left
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowRight size={16} />}
          disabled={at === columns.length - 1}
          onClick={() => onColumns(moved(columns, field, at + 1))}
        >
          Move right
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowsHorizontal size={16} />}
          onClick={() => onWidths(withoutWidth(widths, field))}
        >
          Reset width
        </Menu.Item>
        <Menu.Item leftSection={<IconChartBar size={16} />} onClick={() => onStatistics(field)}>
          Top 20 values
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconX size={16} />}
          onClick={() => onColumns(toggled(columns, field))}
        >
          Hide column
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Edge({ field, widths, onWidths, onDraft }: Props & { field: string }) {
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
      className={classes.edge}
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
