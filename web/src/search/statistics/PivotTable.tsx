/**
 * A plot over time as a table: a row for each time, the newest first, and a column for each series.
 */
import { type CSSProperties, type KeyboardEvent, useMemo, useState } from 'react';
import { type Zone, partsOf } from '../../ui/time';
import { Swatch } from './chart/Legend';
import type { Box } from './chart/layout';
import { numbersOf, pointName } from './chart/pointText';
import { heatOf } from './heat';
import { writerOf } from './number';
import type { Plot, Point, Series } from './pivot';
import { BodyInView, useRowsInView } from './rowsInView';
import classes from './PivotTable.module.css';

type Props = {
  plot: Plot;
  zone: Zone;
  isolated: string | null;
  /** Opens the menu for a span of time, of one series or of all. */
  onAsk: (point: Point, series: Series | null, at: Box) => void;
};

export function PivotTable({ plot, zone, isolated, onAsk }: Props) {
  const count = plot.points.length;
  const { scroller, items, above, below } = useRowsInView(count);
  const columns = useMemo(() => columnsOf(plot), [plot]);
  const cells = useCellFocus(count, columns.length + 1);
  return (
    <div
      ref={scroller}
      className={classes.scroller}
      tabIndex={0}
      role="region"
      aria-label="Rows"
      onKeyDown={cells.onKeyDown}
    >
      <table
        className={classes.table}
        aria-label="Statistics"
        aria-rowcount={count + 1}
        style={{ minWidth: 140 + columns.length * 96 }}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={classes.time}>
              time
            </th>
            {columns.map(({ name, series }) => (
              <th key={name} scope="col" title={name} data-on={isolated === name}>
                {series !== null && <Swatch tone={series.tone} />}
                <span>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <BodyInView {...{ above, below }} spaceClassName={classes.space}>
          {items.map(({ index: row }) => {
            const place = count - 1 - row;
            const point = plot.points[place];
            if (point === undefined) return null;
            return (
              <tr key={row} aria-rowindex={row + 2} className={classes.row}>
                <th scope="row" className={classes.time}>
                  <button
                    type="button"
                    aria-label={pointName(plot, place, zone)}
                    {...cells.propsOf(row, 0)}
                    onClick={(event) => onAsk(point, null, boxOf(event.currentTarget))}
                  >
                    {timeText(plot, place, zone)}
                  </button>
                  {plot.partial.has(place) && (
                    <span className="marginLeft8 meta dimmed">{plot.partial.get(place)}</span>
                  )}
                </th>
                {columns.map(({ name, series, texts, heat }, column) => (
                  <td key={name} style={heatStyle(heat[place])} data-on={isolated === name}>
                    <button
                      type="button"
                      {...cells.propsOf(row, column + 1)}
                      onClick={(event) => onAsk(point, series, boxOf(event.currentTarget))}
                    >
                      {texts[place]}
                    </button>
                  </td>
                ))}
              </tr>
            );
          })}
        </BodyInView>
      </table>
    </div>
  );
}

type Column = {
  name: string;
  /** Null for the sum of all series. */
  series: Series | null;
  texts: readonly string[];
  heat: readonly number[];
};

function columnsOf(plot: Plot): Column[] {
  const { series, points, stackable } = plot;
  const most = series.reduce((most, { values }) => Math.max(most, ...numbersOf(values)), 0);
  const columns = series.map((one): Column => {
    const write = writerOf(numbersOf(one.values), one.measure);
    const texts = one.values.map((value) => (value === null ? '–' : write(value)));
    return { name: one.name, series: one, texts, heat: heatOf(one.values, most) };
  });
  if (!stackable || series.length < 2) return columns;
  const sums = points.map((_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const write = writerOf(sums, series[0]?.measure);
  return [...columns, { name: 'total', series: null, texts: sums.map(write), heat: [] }];
}

/** `14:30`, with the day if it differs from the previous row's. */
function timeText(plot: Plot, place: number, zone: Zone): string {
  const partsAt = (at: number) => partsOf(plot.points[at]?.name ?? '', zone);
  const parts = partsAt(place);
  if (parts === null) return plot.points[place]?.name ?? '';
  const isMinutes = plot.spanMs !== null && plot.spanMs % 60_000 === 0;
  const clock = isMinutes ? parts.clock.slice(0, 5) : parts.clock.replace(/\.000$/u, '');
  const isNewDay = partsAt(place + 1)?.date !== parts.date;
  return isNewDay ? `${parts.date} ${clock}` : clock;
}

function heatStyle(heat = 0): CSSProperties & Record<`--${string}`, string> {
  return heat === 0 ? {} : { '--heat': `${Math.round(heat * 100)}%` };
}

function boxOf(element: HTMLElement): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
}

type CellAt = { row: number; column: number };

/**
 * The arrow keys move from cell to cell in a table of buttons, which is a single stop for the Tab
 * key.
 */
function useCellFocus(rows: number, columns: number) {
  const [at, setAt] = useState<CellAt>({ row: 0, column: 0 });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = nextCell(event.key, at, rows, columns);
    const cells = event.currentTarget;
    const cell =
      next && cells.querySelector<HTMLElement>(`[data-cell="${next.row}-${next.column}"]`);
    if (!(event.target instanceof HTMLElement) || event.target.dataset['cell'] === undefined)
      return;
    if (next === null || cell === null) return;
    event.preventDefault();
    cell.focus();
  };
  const propsOf = (row: number, column: number) => ({
    'data-cell': `${row}-${column}`,
    tabIndex: row === at.row && column === at.column ? 0 : -1,
    onFocus: () => setAt({ row, column }),
  });
  return { onKeyDown, propsOf };
}

function nextCell(key: string, at: CellAt, rows: number, columns: number): CellAt | null {
  const { row, column } = at;
  switch (key) {
    case 'ArrowDown':
      return { row: Math.min(rows - 1, row + 1), column };
    case 'ArrowUp':
      return { row: Math.max(0, row - 1), column };
    case 'ArrowRight':
      return { row, column: Math.min(columns - 1, column + 1) };
    case 'ArrowLeft':
      return { row, column: Math.max(0, column - 1) };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: columns - 1 };
    default:
      return null;
  }
}
