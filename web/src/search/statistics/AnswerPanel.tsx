/**
 * The table of an answer, with a chart of it. A click on a value filters by it, on the same page.
 */
import { useEffect, useMemo, useState } from 'react';
import { Button, Menu } from '@mantine/core';
import {
  IconCheck,
  IconChevronDown,
  IconCopy,
  IconFilter,
  IconFilterOff,
  IconListSearch,
  IconZoomIn,
} from '@tabler/icons-react';
import { MenuItem } from '../../ui/MenuItem';
import { SelectField, Switcher } from '../../ui/Fields';
import { copyText } from '../../ui/clipboard';
import { Empty } from '../../ui/Empty';
import { useEdit } from '../../ui/query/useEdit';
import { type Zone, useZone } from '../../ui/time';
import { formatCount } from '../../ui/number';
import { CopiesLeftOut, withCopies } from '../page/CopiesLeftOut';
import type { ChartView, SearchState } from '../searchParams';
import { DataTable, shownText } from './DataTable';
import type { Box, Kind } from './chart/layout';
import { pointName } from './chart/pointText';
import { type Drill, messagesOf, narrowed, zoomed } from './drill';
import { groupedIn } from './number';
import { type RowOrder, nextOrder } from './order';
import type { Plot, Point, Series } from './pivot';
import type { Cell, Table, TableAnswer } from './queries';
import { type AnswerView, viewOf } from './view';
import { PivotTable } from './PivotTable';
import { SeriesTable } from './SeriesTable';
import { Chart } from './chart/Chart';
import { extentOf, headlineOf, titleOf } from './headline';
import { modeLabels } from './answerMode';
import { toCsv, toMarkdown } from './tableText';
import classes from './Statistics.module.css';

type Props = {
  state: SearchState;
  answer: TableAnswer;
  isStale: boolean;
  onAsk: (part: Partial<SearchState>) => void;
};

export function AnswerPanel({ state, answer, isStale, onAsk }: Props) {
  const [zone] = useZone();
  const columnsKey = answer.columns.map(({ name }) => name).join('\n');
  const [chosen, setChosen] = useState<{ key: string; order: RowOrder | null }>();
  const [asked, setAsked] = useState<Asked | null>(null);
  // An order refers to columns, so it has no meaning for another table.
  const order = chosen?.key === columnsKey ? chosen.order : undefined;
  const view = useMemo(
    () => viewOf(answer, state.chart, state.measure, order),
    [answer, state.chart, state.measure, order],
  );
  const { shape, plot } = view;
  const edit = useEdit(state.query);
  const drill = ({ edits, ...range }: Drill) => edit(edits, (query) => onAsk({ query, ...range }));
  const filterOf = (row: readonly Cell[], column: number, exclude: boolean) =>
    shape.searchable.has(column) ? narrowed(answer, { row, column }, exclude) : null;

  /**
   * Opens the menu for a value of a row, with the groups that determine which messages the row
   * counts.
   */
  const open = (row: readonly Cell[], column: number, at: Box, groups = shape.groups) => {
    const head = answer.columns[column];
    if (head === undefined) return;
    setAsked({
      at,
      title: `${head.name} ${shownText(row[column] ?? null, head, zone)}`,
      messages: messagesOf(answer, shape, row, groups, view.spanMs),
      only: filterOf(row, column, false),
      without: filterOf(row, column, true),
      zoom: head.kind === 'time' ? zoomed(row[column], view.spanMs) : null,
      copy: String(row[column] ?? ''),
    });
  };

  /** Opens the menu for a span of time, of one series or of all. */
  const openTime = (point: Point, series: Series | null, at: Box) => {
    if (plot === null) return;
    const row: Cell[] = [];
    row[plot.column] = point.name;
    const split = series?.value === undefined ? null : plot.split;
    if (split !== null) row[split] = series?.value ?? null;
    const groups = split === null ? [plot.column] : [plot.column, split];
    const isRest = series !== null && split === null && plot.split !== null;
    const name = pointName(plot, plot.points.indexOf(point), zone);
    setAsked({
      at,
      title: series === null ? name : `${series.name}, ${name}`,
      messages: isRest ? null : messagesOf(answer, shape, row, groups, view.spanMs),
      only: split === null ? null : filterOf(row, split, false),
      without: split === null ? null : filterOf(row, split, true),
      zoom: zoomed(point.name, view.spanMs),
      copy: null,
    });
  };

  const filter = (row: readonly Cell[], column: number, exclude: boolean) => {
    const found = filterOf(row, column, exclude);
    if (found !== null) drill(found);
  };

  if (answer.rows.length === 0) {
    return (
      <Empty title="The table has no rows">
        <p>
          No messages in this time range pass the filter and every step. Choose a longer range, or
          remove a step to see which one leaves nothing.
        </p>
      </Empty>
    );
  }
  const isFigures =
    answer.rows.length === 1 && shape.groups.length === 0 && shape.measures.length > 0;
  return (
    <>
      <Bar
        answer={answer}
        view={view}
        isStale={isStale}
        onCopies={() => drill({ edits: [withCopies] })}
        onChange={onAsk}
      />
      {answer.notes.map((note) => (
        <p key={note} className="meta caution">
          {groupedIn(note)}
        </p>
      ))}
      {isFigures ? (
        <SingleRow table={answer} />
      ) : (
        <Panes
          key={columnsKey}
          answer={answer}
          view={view}
          zone={zone}
          onOrder={(column) => {
            const head = answer.columns[column];
            if (head !== undefined)
              setChosen({ key: columnsKey, order: nextOrder(view.order, column, head) });
          }}
          onFilter={filter}
          onOpen={open}
          onOpenTime={openTime}
        />
      )}
      <CellMenu
        asked={asked}
        onClose={() => setAsked(null)}
        onAsk={drill}
        onCopy={(text) => void copyText(text)}
      />
    </>
  );
}

/** A table with one row and no groups: its values are the answer, so they are shown large. */
function SingleRow({ table }: { table: Table }) {
  const [zone] = useZone();
  const row = table.rows[0] ?? [];
  return (
    <dl className="flex wrap gap8">
      {table.columns.map((column, at) => (
        <div key={at} className={classes.oneFigure}>
          <dt>{column.name}</dt>
          <dd>{shownText(row[at] ?? null, column, zone)}</dd>
        </div>
      ))}
    </dl>
  );
}

type Asked = {
  at: Box;
  title: string;
  messages: Drill | null;
  only: Drill | null;
  without: Drill | null;
  zoom: Drill | null;
  copy: string | null;
};

type CellMenuProps = {
  asked: Asked | null;
  onClose: () => void;
  onAsk: (drill: Drill) => void;
  onCopy: (text: string) => void;
};

/** The menu of a table row: a single menu that opens where the user clicked. */
function CellMenu({ asked, onClose, onAsk, onCopy }: CellMenuProps) {
  if (asked === null) return null;
  const { at, title, messages, only, without, zoom, copy } = asked;
  return (
    <Menu
      opened
      onClose={onClose}
      position="bottom-start"
      returnFocus
      portalProps={{ target: '#content' }}
    >
      <Menu.Target>
        <span aria-hidden style={{ position: 'fixed', pointerEvents: 'none', ...at }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={title}>
        <Menu.Label maw={360} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Menu.Label>
        {messages !== null && (
          <MenuItem
            icon={IconListSearch}
            label="Show these messages"
            onClick={() => onAsk(messages)}
          />
        )}
        {only !== null && (
          <MenuItem icon={IconFilter} label="Only this value" onClick={() => onAsk(only)} />
        )}
        {without !== null && (
          <MenuItem
            icon={IconFilterOff}
            label="Exclude this value"
            onClick={() => onAsk(without)}
          />
        )}
        {zoom !== null && (
          <MenuItem icon={IconZoomIn} label="Zoom to this time" onClick={() => onAsk(zoom)} />
        )}
        {copy !== null && (
          <MenuItem icon={IconCopy} label="Copy value" onClick={() => onCopy(copy)} />
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

type PanesProps = {
  answer: TableAnswer;
  view: AnswerView;
  zone: Zone;
  onOrder: (column: number) => void;
  onFilter: (row: readonly Cell[], column: number, exclude: boolean) => void;
  onOpen: (row: readonly Cell[], column: number, at: Box, groups?: readonly number[]) => void;
  onOpenTime: (point: Point, series: Series | null, at: Box) => void;
};

/** The chart of an answer beside its series or its rows, and below them the rows over time. */
function Panes(props: PanesProps) {
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

/** The maximum number of series of a table beside its chart. */
const BESIDE_MAX = 2;

/** The position of the rows: alone, beside the chart, or below it if they need the width. */
function layoutOf(plot: Plot | null, kind: Kind | null, pivot: Plot | null) {
  if (plot === null || kind === null) return pivot === null ? 'rows' : 'pivot';
  if (plot.axis === 'names') return 'names';
  return pivot === null && plot.series.length <= BESIDE_MAX ? 'beside' : 'below';
}

/**
 * The column whose values the bars of a chart by names show unchanged; none if a bar is the sum of
 * several rows.
 */
function drawnColumn({ columns }: TableAnswer, plot: Plot | null): number {
  if (plot?.axis !== 'names' || plot.series.length > 1) return -1;
  return columns.findIndex(({ name }) => name === plot.measure);
}

type PartProps = PanesProps & {
  plot: Plot;
  isolated: string | null;
  setIsolated: (name: string | null) => void;
};

/**
 * A name in the chart stands for all rows with that name: a click filters by it. A click on a time
 * opens its menu.
 */
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

/** The partly known spans, by the row of the point. */
function partialRows(plot: Plot | null) {
  const found = [...(plot?.partial ?? [])];
  return new Map(
    found.flatMap(([at, partial]) => {
      const row = plot?.points[at]?.row;
      return row === undefined ? [] : [[row, partial] as const];
    }),
  );
}

type BarProps = {
  answer: TableAnswer;
  view: AnswerView;
  isStale: boolean;
  /** Counts copies as well. */
  onCopies: () => void;
  onChange: (part: { chart?: ChartView; measure?: string }) => void;
};

/**
 * The tools of the statistics: the kind of view, the columns that are drawn, and a copy of the
 * table.
 */
function Bar({ answer, view, isStale, onCopies, onChange }: BarProps) {
  const { shown, kinds, measures, plot } = view;
  const measure = plot?.measure ?? '';
  const tookMs = Math.max(1, Math.round(answer.took_ms));
  return (
    <div className={classes.bar}>
      <h2 className="breakAnywhere bold">{headlineOf(answer, view)}</h2>
      <span className="dimmed">
        {isStale ? 'Counting…' : `${extentOf(answer, view)}, in ${formatCount(tookMs)} ms`}
      </span>
      {!isStale && <CopiesLeftOut copies={answer.copies} onShow={onCopies} />}
      <span className="row gap8 toEnd">
        {measures.length > 1 && shown !== 'table' && (
          <SelectField
            aria-label="Value of the chart"
            value={measure}
            onChange={(value) => onChange({ measure: value })}
            data={measures.map((name) => ({
              value: name,
              label: name === '' ? 'All values' : name,
            }))}
          />
        )}
        {kinds.length > 0 && (
          <Switcher
            label="Shown as"
            value={shown}
            texts={modeLabels}
            offered={[...kinds, 'table']}
            onChange={(chart) => onChange({ chart })}
          />
        )}
        <CopyTable answer={answer} />
      </span>
    </div>
  );
}

const COPIED_SHOWN_MS = 1500;

function CopyTable({ answer }: { answer: TableAnswer }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (text: string) => void copyText(text).then(setCopied);
  return (
    <Menu position="bottom-end" portalProps={{ target: '#content' }}>
      <Menu.Target>
        <Button
          leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          rightSection={<IconChevronDown size={14} />}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Copy the table">
        <Menu.Item onClick={() => copy(toCsv(answer))}>As CSV</Menu.Item>
        <Menu.Item onClick={() => copy(toMarkdown(answer))}>As Markdown</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
