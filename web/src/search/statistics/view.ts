/** Everything that is shown of an answer, derived from it and from the user's choices. */
import type { ChartView } from '../searchParams';
import type { AnswerMode } from './answerMode';
import { type Kind, kindsFor } from './chart/layout';
import { type RowOrder, sorted } from './order';
import { type Plot, plotOf } from './pivot';
import type { TableAnswer, Cell } from './queries';
import { partialsOf } from './partial';
import { type Shape, shapeOf, spanOf } from './shape';

/** The maximum number of columns of a table of times and series. */
const COLUMNS_MAX = 40;

export type AnswerView = {
  shape: Shape;
  order: RowOrder | null;
  rows: readonly (readonly Cell[])[];
  plot: Plot | null;
  /** The plot whose table replaces `rows`: a row for each time, and a column for each series. */
  pivot: Plot | null;
  kinds: readonly Kind[];
  shown: AnswerMode;
  measures: readonly string[];
  spanMs: number | null;
};

/** `chosen` is the order that the user chose, or `undefined` if there is none. */
export function viewOf(
  answer: TableAnswer,
  chart: ChartView,
  measure: string,
  chosen: RowOrder | null | undefined,
): AnswerView {
  const shape = shapeOf(answer, answer.query);
  const order = chosen === undefined ? firstOrder(answer, shape) : chosen;
  const rows = sorted(answer.rows, answer.columns, order);
  const spanMs = spanOf(answer.query);
  const byTotal = order?.descending === true && shape.additive.has(order.column);
  const options = { measure, spanMs, byTotal };
  const plot = withPartials(plotOf(answer, shape, rows, options), answer);
  const kinds = plot === null ? [] : kindsFor(plot);
  const shown = shownAs(chart, kinds);
  const isPivoted = plot?.axis === 'time' && shape.groups.length > 1;
  // If there is no chart above it, the table has room for more columns than there are colours.
  const wide =
    isPivoted && shown === 'table'
      ? withPartials(plotOf(answer, shape, rows, { ...options, seriesMax: COLUMNS_MAX }), answer)
      : null;
  const names = shape.measures.map((column) => answer.columns[column]?.name ?? '');
  const canShowAll = plot?.axis === 'time' && shape.groups.length === 1 && names.length > 1;
  return {
    shape,
    order,
    rows,
    plot,
    pivot: isPivoted ? (wide ?? plot) : null,
    kinds,
    shown,
    measures: canShowAll ? ['', ...names] : names,
    spanMs: spanMs ?? plot?.spanMs ?? null,
  };
}

function withPartials(plot: Plot | null, { asked, at }: TableAnswer): Plot | null {
  return plot && { ...plot, partial: partialsOf(plot.points, plot.spanMs, asked, at) };
}

/**
 * A query without an order gets the greatest rows first, or the newest times; severities have an order of their own.
 */
function firstOrder(answer: TableAnswer, shape: Shape): RowOrder | null {
  const [group] = shape.groups;
  const [measure] = shape.measures;
  const kind = answer.columns[group ?? -1]?.kind;
  if (shape.isOrdered || group === undefined) return null;
  if (kind === 'time') return { column: group, descending: true };
  if (measure === undefined || kind !== 'text') return null;
  return { column: measure, descending: true };
}

function shownAs(chart: ChartView, kinds: readonly Kind[]): AnswerMode {
  if (chart === 'table') return 'table';
  return kinds.find((kind) => kind === chart) ?? kinds[0] ?? 'table';
}
