/** The rows of an answer. Only those in view are in the page, whatever their number. */
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useRef } from 'react';
import { type Zone, formatTime } from '../../ui/time';
import { formatNumber } from './number';
import type { RowOrder } from './order';
import type { Cell, Column, Table } from './queries';
import { columnWidths } from './widths';
import classes from './DataTable.module.css';

type Props = {
  table: Table;
  rows: readonly (readonly Cell[])[];
  order: RowOrder | null;
  zone: Zone;
  /** Columns whose values can be asked about. */
  askable: ReadonlySet<number>;
  onOrder: (column: number) => void;
  onAsk: (row: readonly Cell[], column: number, cell: HTMLElement) => void;
};

const ROW = 28;

export function DataTable({ table, rows, order, zone, askable, onOrder, onAsk }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  // The virtualizer keeps its own state, which the compiler cannot see; nothing here is compiled.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const widths = columnWidths(table, (cell, column) => shownText(cell, column, zone));
  const tops = table.columns.map((column, at) =>
    column.kind === 'number' ? greatest(rows, at) : 0,
  );
  return (
    <div ref={scroller} className={classes.scroller} tabIndex={0} role="region" aria-label="Rows">
      <table className={classes.table} aria-label="Statistics" aria-rowcount={rows.length + 1}>
        <colgroup>
          {widths.map((width, at) => (
            <col key={at} style={{ width }} />
          ))}
          <col />
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {table.columns.map((column, at) => (
              <Head key={at} column={column} at={at} order={order} onOrder={onOrder} />
            ))}
            <td aria-hidden />
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Space height={above} />}
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2} className={classes.row}>
              {table.columns.map((column, at) => (
                <Value
                  key={at}
                  cell={rows[index]?.[at] ?? null}
                  column={column}
                  top={tops[at] ?? 0}
                  zone={zone}
                  onAsk={
                    askable.has(at)
                      ? (cell) => {
                          onAsk(rows[index] ?? [], at, cell);
                        }
                      : null
                  }
                />
              ))}
              <td aria-hidden />
            </tr>
          ))}
          {below > 0 && <Space height={below} />}
        </tbody>
      </table>
    </div>
  );
}

type HeadProps = {
  column: Column;
  at: number;
  order: RowOrder | null;
  onOrder: (column: number) => void;
};

function Head({ column, at, order, onOrder }: HeadProps) {
  const chosen = order?.column === at ? order : null;
  const sort = chosen === null ? 'none' : chosen.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={sort} data-kind={column.kind}>
      <button
        type="button"
        className={classes.sort}
        title={`Sort by ${column.name}`}
        onClick={() => onOrder(at)}
      >
        <span className={classes.cut}>{column.name}</span>
        {sort === 'ascending' && <IconArrowUp size={14} aria-hidden />}
        {sort === 'descending' && <IconArrowDown size={14} aria-hidden />}
      </button>
    </th>
  );
}

type ValueProps = {
  cell: Cell;
  column: Column;
  /** The greatest number of the column, which the bars are measured by. */
  top: number;
  zone: Zone;
  onAsk: ((cell: HTMLElement) => void) | null;
};

function Value({ cell, column, top, zone, onAsk }: ValueProps) {
  const text = shownText(cell, column, zone);
  const isNumber = typeof cell === 'number';
  const share = isNumber && cell > 0 && top > 0 ? cell / top : 0;
  const style: CSSProperties & Record<`--${string}`, string> = { '--share': `${share * 100}%` };
  const kind = isNumber ? 'number' : column.kind;
  return (
    <td data-kind={kind} data-none={cell === null} {...(share > 0 && { style })} title={text}>
      {onAsk === null ? (
        <span className={classes.cut}>{text}</span>
      ) : (
        <button
          type="button"
          className={classes.ask}
          aria-haspopup="menu"
          onClick={(event) => onAsk(event.currentTarget)}
        >
          <span className={classes.cut}>{text}</span>
        </button>
      )}
    </td>
  );
}

/** Stands for the rows that are not in the page. */
function Space({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <td className={classes.space} style={{ height }} />
    </tr>
  );
}

/** Long enough for every row of a table; a cell shows one line of it. */
const SHOWN_MAX = 400;

export function shownText(cell: Cell, { kind }: Column, zone: Zone): string {
  if (cell === null) return '–';
  if (typeof cell === 'number') return formatNumber(cell);
  if (kind === 'time') return formatTime(cell, zone).replace(/\.000$/u, '');
  return cell === '' ? '""' : cell.slice(0, SHOWN_MAX).replaceAll(/\s+/gu, ' ');
}

function greatest(rows: readonly (readonly Cell[])[], at: number): number {
  return rows.reduce((most, row) => {
    const cell = row[at];
    return typeof cell === 'number' && cell > most ? cell : most;
  }, 0);
}
