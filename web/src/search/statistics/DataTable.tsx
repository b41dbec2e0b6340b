/** The rows of an answer. Only those in view are in the page, however many there are. */
import { type CSSProperties, type ReactNode, useMemo } from 'react';
import { type Zone, formatTime } from '../../ui/time';
import { ColumnHead, NamedValue } from './NamedValue';
import type { Box } from './chart/layout';
import { type WriteNumber, measureOf, writerOf } from './number';
import type { RowOrder } from './order';
import type { Cell, Column, Table } from './queries';
import type { PartialSpan } from './partial';
import { PARTIAL, columnWidths } from './widths';
import { BodyInView, useRowsInView } from './rowsInView';
import classes from './DataTable.module.css';

type Props = {
  table: Table;
  rows: readonly (readonly Cell[])[];
  order: RowOrder | null;
  /** The column whose numbers a chart beside the table shows as bars; -1 for none. */
  drawn: number;
  zone: Zone;
  /** The columns whose values have a menu. */
  askable: ReadonlySet<number>;
  onOrder: (column: number) => void;
  /** The rows of time spans that are only partly known. */
  partial: ReadonlyMap<readonly Cell[], PartialSpan>;
  onFilter: (row: readonly Cell[], column: number, exclude: boolean) => void;
  onAsk: (row: readonly Cell[], column: number, at: Box) => void;
};

export function DataTable(props: Props) {
  const { table, rows, order, drawn, zone, askable, partial, onOrder, onFilter, onAsk } = props;
  const { scroller, items, above, below } = useRowsInView(rows.length);
  const writers = useMemo(() => writersOf(table), [table]);
  const isMinutes = useMemo(() => isInMinutes(table), [table]);
  const textOf = (cell: Cell, at: number) => {
    const column = table.columns[at];
    if (column === undefined) return '';
    const text = shownText(cell, column, zone, writers[at]);
    return column.kind === 'time' && isMinutes ? text.replace(/:00$/u, '') : text;
  };
  const widths = columnWidths(table, textOf).map((width, at) =>
    table.columns[at]?.kind === 'time' && partial.size > 0 ? width + PARTIAL : width,
  );
  const isSorted = order !== null && table.columns[order.column]?.kind === 'number';
  // A bar behind a number would be redundant if the chart beside it already shows one.
  const top = isSorted && order.column !== drawn ? order.column : -1;
  const most = top === -1 ? 0 : greatest(rows, top);
  return (
    <div
      ref={scroller}
      className={classes.scroller}
      style={{ width: widths.reduce((sum, width) => sum + width, 0) }}
      tabIndex={0}
      role="region"
      aria-label="Rows"
    >
      <table className={classes.table} aria-label="Statistics" aria-rowcount={rows.length + 1}>
        <colgroup>
          {widths.map((width, at) => (
            <col key={at} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {table.columns.map((column, at) => (
              <ColumnHead
                key={at}
                name={column.name}
                kind={column.kind}
                sort={order?.column !== at ? null : order.descending ? 'descending' : 'ascending'}
                onSort={() => onOrder(at)}
              />
            ))}
          </tr>
        </thead>
        <BodyInView {...{ above, below }} spaceClassName={classes.space}>
          {items.map(({ index }) => {
            const row = rows[index] ?? [];
            return (
              <tr key={index} aria-rowindex={index + 2} className={classes.row}>
                {table.columns.map((column, at) => {
                  const text = textOf(row[at] ?? null, at);
                  const canAsk = askable.has(at);
                  return (
                    <Value
                      key={at}
                      cell={row[at] ?? null}
                      column={column}
                      text={text}
                      most={at === top ? most : 0}
                    >
                      <NamedValue
                        text={text}
                        field={column.name}
                        onFilter={
                          canAsk && column.kind !== 'time'
                            ? (exclude) => {
                                onFilter(row, at, exclude);
                              }
                            : null
                        }
                        onMenu={canAsk ? (box) => onAsk(row, at, box) : null}
                      />
                      {column.kind === 'time' && partial.has(row) && (
                        <span className="marginLeft8 bodyFont dimmed">{partial.get(row)}</span>
                      )}
                    </Value>
                  );
                })}
              </tr>
            );
          })}
        </BodyInView>
      </table>
    </div>
  );
}

type ValueProps = {
  cell: Cell;
  column: Column;
  text: string;
  /** The largest number of the column that the rows are sorted by; 0 for all other columns. */
  most: number;
  children: ReactNode;
};

/** In the column that the rows are sorted by, a bar behind each number makes them comparable. */
function Value({ cell, column, text, most, children }: ValueProps) {
  const isNumber = typeof cell === 'number';
  const share = isNumber && most > 0 ? Math.max(0, cell / most) : 0;
  const style: CSSProperties & Record<`--${string}`, string> = { '--share': `${share * 100}%` };
  const kind = isNumber ? 'number' : column.kind;
  return (
    <td data-kind={kind} data-none={cell === null} {...(share > 0 && { style })} title={text}>
      {kind === 'number' ? text : <span className="row">{children}</span>}
    </td>
  );
}

/** The maximum length of a value: enough for any row of a table, as a cell shows one line of it. */
const SHOWN_MAX = 400;

export function shownText(cell: Cell, column: Column, zone: Zone, write?: WriteNumber): string {
  const { kind } = column;
  if (cell === null) return '–';
  if (typeof cell === 'number') return (write ?? writerOf([cell], measureOf(column)))(cell);
  if (kind === 'time') return formatTime(cell, zone).replace(/\.000$/u, '');
  return cell === '' ? '""' : cell.slice(0, SHOWN_MAX).replaceAll(/\s+/gu, ' ');
}

/** Whether all times are whole minutes: in that case no seconds are shown. */
function isInMinutes({ columns, rows }: Table): boolean {
  return rows.every((row) =>
    columns.every(({ kind }, at) => {
      const cell = row[at];
      return kind !== 'time' || typeof cell !== 'string' || Date.parse(cell) % 60_000 === 0;
    }),
  );
}

/** The number formats of the columns. */
function writersOf({ columns, rows }: Table): WriteNumber[] {
  return columns.map((column, at) =>
    writerOf(
      rows.flatMap((row) => {
        const cell = row[at];
        return typeof cell === 'number' ? [cell] : [];
      }),
      measureOf(column),
    ),
  );
}

function greatest(rows: readonly (readonly Cell[])[], at: number): number {
  return rows.reduce((most, row) => {
    const cell = row[at];
    return typeof cell === 'number' && cell > most ? cell : most;
  }, 0);
}
