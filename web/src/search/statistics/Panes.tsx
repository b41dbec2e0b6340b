/** The chart of an answer beside its series or its rows, and below them the rows along time. */
import { useMemo, useState } from 'react';
import type { Zone } from '../../ui/time';
import { DataTable } from './DataTable';
import { PivotTable } from './PivotTable';
import { SeriesTable } from './SeriesTable';
import { Chart } from './chart/Chart';
import type { Box, Kind } from './chart/layout';
import { titleOf } from './headline';
import type { Plot, Point, Series } from './pivot';
import type { TableAnswer, Cell } from './queries';
import type { AnswerView } from './view';
import classes from './Statistics.module.css';

type Props = {
  answer: TableAnswer;
  view: AnswerView;
  zone: Zone;
  onOrder: (column: number) => void;
  onFilter: (row: readonly Cell[], column: number, exclude: boolean) => void;
  onOpen: (row: readonly Cell[], column: number, at: Box, groups?: readonly number[]) => void;
  onOpenTime: (point: Point, series: Series | null, at: Box) => void;
};

export function Panes(props: Props) {
  const { answer, view, zone, onOrder, onFilter, onOpen, onOpenTime } = props;
  const { plot, pivot, shape, shown } = view;
  const [isolated, setIsolated] = useState<string | null>(null);
  const partial = useMemo(() => partialRows(plot), [plot]);
  const kind = plot === null || shown === 'table' ? null : shown;
  return (
    <div className={classes.panes} data-layout={layoutOf(plot, kind, pivot)}>
      {plot !== null && kind !== null && (
        <div className={classes.chart}>
          <TheChart {...props} {...{ plot, kind, isolated, setIsolated }} />
          {plot.axis === 'time' && <TheSeries {...props} {...{ plot, isolated, setIsolated }} />}
        </div>
      )}
      <div className={classes.rows}>
        {pivot !== null ? (
          <PivotTable plot={pivot} zone={zone} isolated={isolated} onAsk={onOpenTime} />
        ) : (
          <DataTable
            table={answer}
            rows={view.rows}
            order={view.order}
            drawn={kind === null ? -1 : drawnColumn(answer, plot)}
            zone={zone}
            askable={shape.searchable}
            partial={partial}
            onOrder={onOrder}
            onFilter={onFilter}
            onAsk={onOpen}
          />
        )}
      </div>
    </div>
  );
}

/** A table beside its chart has room for this many series. */
const BESIDE_MAX = 2;

/** The place of the rows: alone, beside the chart, or below it if they need the width. */
function layoutOf(plot: Plot | null, kind: Kind | null, pivot: Plot | null) {
  if (plot === null || kind === null) return pivot === null ? 'rows' : 'pivot';
  if (plot.axis === 'names') return 'names';
  return pivot === null && plot.series.length <= BESIDE_MAX ? 'beside' : 'below';
}

/** The column that the bars of a chart along names show, as they are: not where they are sums of several rows. */
function drawnColumn({ columns }: TableAnswer, plot: Plot | null): number {
  if (plot?.axis !== 'names' || plot.series.length > 1) return -1;
  return columns.findIndex(({ name }) => name === plot.measure);
}

type PartProps = Props & {
  plot: Plot;
  isolated: string | null;
  setIsolated: (name: string | null) => void;
};

/** A name of the chart stands for all rows with it: a click filters by it. A time opens what can be asked about it. */
function TheChart(props: PartProps & { kind: Kind }) {
  const { answer, view, plot, kind, isolated, setIsolated, onFilter, onOpen, onOpenTime } = props;
  const canFilter = plot.axis === 'names' && view.shape.searchable.has(plot.column);
  const openMenu = (point: Point, at: Box) => {
    if (plot.axis === 'time') onOpenTime(point, null, at);
    else onOpen(point.row, plot.column, at, [plot.column]);
  };
  return (
    <Chart
      plot={plot}
      kind={kind}
      title={titleOf(answer, view, kind)}
      isolated={isolated}
      onIsolate={setIsolated}
      onChoose={(point, at, exclude) => {
        if (canFilter) onFilter(point.row, plot.column, exclude);
        else openMenu(point, at);
      }}
      onMenu={openMenu}
    />
  );
}

function TheSeries(props: PartProps) {
  const { answer, view, plot, isolated, setIsolated, onFilter, onOpen } = props;
  const { split } = plot;
  const rowOf = ({ value = null }: Series): Cell[] => {
    const row: Cell[] = [];
    row[split ?? 0] = value;
    return row;
  };
  return (
    <SeriesTable
      plot={plot}
      title={split === null ? 'series' : (answer.columns[split]?.name ?? 'series')}
      isolated={isolated}
      onIsolate={setIsolated}
      canFilter={({ value }) =>
        split !== null && value !== undefined && view.shape.searchable.has(split)
      }
      onFilter={(series, exclude) => onFilter(rowOf(series), split ?? 0, exclude)}
      onMenu={(series, at) => onOpen(rowOf(series), split ?? 0, at, [split ?? 0])}
    />
  );
}

/** By the row of the point: rows along time that are of a part of a stretch. */
function partialRows(plot: Plot | null) {
  const found = [...(plot?.partial ?? [])];
  return new Map(
    found.flatMap(([at, partial]) => {
      const row = plot?.points[at]?.row;
      return row === undefined ? [] : [[row, partial] as const];
    }),
  );
}
