/** A table as it came, with a chart of it. A click on a value filters by it, and the page stays. */
import { useMemo, useState } from 'react';
import { copyText } from '../../ui/clipboard';
import { Empty } from '../../ui/Empty';
import { useEdit } from '../../ui/query/useEdit';
import { useZone } from '../../ui/time';
import { withCopies } from '../page/CopiesLeftOut';
import type { SearchState } from '../searchParams';
import { Bar } from './Bar';
import { type Asked, CellMenu } from './CellMenu';
import { shownText } from './DataTable';
import { SingleRow } from './SingleRow';
import { Panes } from './Panes';
import type { Box } from './chart/layout';
import { pointName } from './chart/pointText';
import { type Drill, messagesOf, narrowed, zoomed } from './drill';
import { groupedIn } from './number';
import { type RowOrder, nextOrder } from './order';
import type { Point, Series } from './pivot';
import type { Cell, TableAnswer } from './queries';
import { viewOf } from './view';

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
  // An order is one of columns: of another table it would mean nothing.
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

  /** About one value of a row, with the groups of the row that tell which messages it counts. */
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

  /** About a stretch of time, of one series or of all. */
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
