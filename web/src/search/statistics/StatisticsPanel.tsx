/** The answer to a query with stages, and its other faces: on the way, refused, cancelled, empty. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { copyText } from '../../ui/clipboard';
import { Empty } from '../../ui/Empty';
import { Notice } from '../../ui/Notice';
import { useEdit } from '../../ui/query/useEdit';
import { useZone } from '../../ui/time';
import { QueryProblem, QueryWarnings } from '../page/QueryProblem';
import type { SearchState } from '../searchParams';
import { Bar, type Shown, labelOf } from './Bar';
import { type Asked, CellMenu } from './CellMenu';
import { DataTable, shownText } from './DataTable';
import { Figures } from './Figures';
import { StatisticsLoading } from './StatisticsLoading';
import { Chart } from './chart/Chart';
import type { Box } from './chart/layout';
import { type Drill, messagesOf, narrowed } from './drill';
import { type RowOrder, nextOrder } from './order';
import { type Answer, type Cell, aggregateQuery } from './queries';
import { viewOf } from './view';
import classes from './Statistics.module.css';

type Props = { state: SearchState; onAsk: (part: Partial<SearchState>) => void };

export function StatisticsPanel({ state, onAsk }: Props) {
  const queryClient = useQueryClient();
  const asking = aggregateQuery(state);
  const { data, error, isPlaceholderData, fetchStatus, refetch } = useQuery(asking);
  const cancel = () => void queryClient.cancelQueries({ queryKey: asking.queryKey });
  const runAgain = () => void refetch();
  const problem = error !== null && (
    <QueryProblem
      error={error}
      query={state.query}
      onRetry={runAgain}
      onUse={(query) => onAsk({ query })}
    />
  );
  if (data === undefined) {
    if (problem !== false) return problem;
    if (fetchStatus !== 'idle') return <StatisticsLoading onCancel={cancel} />;
    return (
      <Notice tone="info" title="Cancelled" onRetry={runAgain}>
        Nothing was counted.
      </Notice>
    );
  }
  return (
    <section className={classes.statistics} aria-label="Statistics" aria-busy={isPlaceholderData}>
      {problem}
      <QueryWarnings
        warnings={data.warnings}
        coverage={data.coverage}
        query={state.query}
        onUse={(query) => onAsk({ query })}
      />
      <AnswerPanel state={state} answer={data} isStale={isPlaceholderData} onAsk={onAsk} />
    </section>
  );
}

type PanelProps = Props & { answer: Answer; isStale: boolean };

function AnswerPanel({ state, answer, isStale, onAsk }: PanelProps) {
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

  /** About one value of a row, or about a point of the chart, which stands for all rows of its value. */
  const open = (row: readonly Cell[], column: number, at: Box, groups = shape.groups) => {
    const place = { row, column };
    const head = answer.columns[column];
    if (head === undefined) return;
    setAsked({
      at,
      title: `${head.name} ${shownText(row[column] ?? null, head, zone)}`,
      messages: messagesOf(answer, shape, row, groups, view.spanMs),
      only: shape.searchable.has(column) ? narrowed(answer, place, false) : null,
      without: shape.searchable.has(column) ? narrowed(answer, place, true) : null,
      copy: String(row[column] ?? ''),
    });
  };

  if (answer.rows.length === 0) {
    return (
      <Empty title="The table has no rows">
        <p>
          No message passes the filter and the stages in the chosen time. Choose a longer time, or
          take a stage away to see which one leaves nothing.
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
        shown={view.shown}
        kinds={view.kinds}
        measures={view.measures}
        measure={plot?.measure ?? ''}
        isStale={isStale}
        onChange={onAsk}
      />
      {answer.notes.map((note) => (
        <p key={note} className={classes.note}>
          {note}
        </p>
      ))}
      {isFigures && <Figures table={answer} />}
      {!isFigures && (
        <div className={classes.panes}>
          {plot !== null && view.shown !== 'table' && (
            <div className={classes.chart}>
              <Chart
                key={columnsKey}
                plot={plot}
                kind={view.shown}
                title={titleOf(answer, shape.groups, plot.measure, view.shown)}
                onChoose={(point, at) => open(point.row, plot.column, at, [plot.column])}
              />
            </div>
          )}
          <DataTable
            table={answer}
            rows={view.rows}
            order={view.order}
            zone={zone}
            askable={shape.searchable}
            onOrder={(column) => {
              const head = answer.columns[column];
              if (head !== undefined)
                setChosen({ key: columnsKey, order: nextOrder(view.order, column, head) });
            }}
            onAsk={(row, column, cell) => open(row, column, boxOf(cell))}
          />
        </div>
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

/** `Bars: count by host, program`. */
function titleOf(answer: Answer, groups: readonly number[], measure: string, shown: Shown): string {
  const names = groups.map((column) => answer.columns[column]?.name ?? '');
  return `${labelOf(shown)}: ${measure === '' ? 'all values' : measure} by ${names.join(', ')}`;
}

function boxOf(element: HTMLElement): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
}
