/**
 * The legend of a chart over time: each series with its figures. The series under the pointer is
 * highlighted in the chart.
 */
import { type CSSProperties, useState } from 'react';
import { Table } from '../../ui/Table';
import { ColumnHead, NamedValue } from './NamedValue';
import { Swatch } from './chart/Legend';
import { colorOf } from './chart/palette';
import type { Box } from './chart/layout';
import { type WriteNumber, writerOf } from './number';
import type { Plot, Series } from './pivot';
import {
  type Figure,
  figuresOf,
  firstOrder,
  nextSeriesOrder,
  orderedRows,
  seriesRows,
  trendPath,
} from './series';
import classes from './SeriesTable.module.css';

type Props = {
  plot: Plot;
  /** The field whose values make the series. */
  title: string;
  isolated: string | null;
  onIsolate: (name: string | null) => void;
  /** Whether a series belongs to a value that can be searched for. */
  canFilter: (series: Series) => boolean;
  onFilter: (series: Series, exclude: boolean) => void;
  onMenu: (series: Series, at: Box) => void;
};

const TREND = { width: 56, height: 18 };

export function SeriesTable(props: Props) {
  const { plot, title, isolated, onIsolate, canFilter, onFilter, onMenu } = props;
  const [order, setOrder] = useState(firstOrder(plot));
  const figures = figuresOf(plot);
  const rows = orderedRows(seriesRows(plot), order);
  const write = writersOf(plot);
  const by = order.by;
  const most =
    by === 'name' ? 0 : rows.reduce((most, row) => Math.max(most, row.figures[by] ?? 0), 0);
  return (
    <div className={classes.frame} onPointerLeave={() => onIsolate(null)}>
      <Table
        className={classes.table}
        aria-label="Series"
        heads={[
          ...(['name', ...figures] as const).map((key) => (
            <ColumnHead
              key={key}
              name={key === 'name' ? title : key}
              kind={key === 'name' ? 'text' : 'number'}
              sort={by !== key ? null : order.descending ? 'descending' : 'ascending'}
              onSort={() => setOrder(nextSeriesOrder(order, key))}
            />
          )),
          <th scope="col" className={classes.trend}>
            trend
          </th>,
        ]}
      >
        {rows.map(({ series, figures: values }) => (
          <tr
            key={series.name}
            className={classes.row}
            data-on={isolated === series.name}
            onPointerEnter={() => onIsolate(series.name)}
            onFocus={() => onIsolate(series.name)}
            onBlur={() => onIsolate(null)}
          >
            <th scope="row">
              <span className={classes.name}>
                <Swatch tone={series.tone} />
                <NamedValue
                  text={series.name}
                  field={title}
                  onFilter={
                    canFilter(series)
                      ? (exclude) => {
                          onFilter(series, exclude);
                        }
                      : null
                  }
                  onMenu={canFilter(series) ? (at) => onMenu(series, at) : null}
                />
              </span>
            </th>
            {figures.map((figure) => (
              <FigureCell
                key={figure}
                value={values[figure]}
                write={write(series, figure)}
                most={by === figure ? most : 0}
              />
            ))}
            <td className={classes.trend} aria-hidden>
              <svg viewBox={`-1 -1 ${TREND.width + 2} ${TREND.height + 2}`} {...TREND}>
                <path
                  d={trendPath(series.values, TREND.width, TREND.height)}
                  fill="none"
                  stroke={colorOf(series.tone)}
                  strokeWidth={1.5}
                />
              </svg>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

type CellProps = { value: number | null; write: WriteNumber; most: number };

/** In the column that the rows are sorted by, a bar behind each number makes them comparable. */
function FigureCell({ value, write, most }: CellProps) {
  const share = most > 0 && value !== null ? Math.max(0, value / most) : 0;
  const style: CSSProperties & Record<`--${string}`, string> = { '--share': `${share * 100}%` };
  return (
    <td className={classes.figure} data-on={most > 0} {...(share > 0 && { style })}>
      {value === null ? '–' : write(value)}
    </td>
  );
}

/** Figures in the same column have the same format, as far as they have the same unit. */
function writersOf(plot: Plot): (series: Series, figure: Figure) => WriteNumber {
  const rows = seriesRows(plot);
  return ({ measure }, figure) =>
    writerOf(
      rows
        .filter(({ series }) => series.measure.unit === measure.unit)
        .flatMap(({ figures }) => figures[figure] ?? []),
      measure,
    );
}
