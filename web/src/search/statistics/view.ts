/** Everything that is shown of an answer, worked out from it and from what the reader chose. */
import type { ChartView } from '../searchParams';
import type { Shown } from './Bar';
import { type Kind, kindsFor } from './chart/layout';
import { type RowOrder, sorted } from './order';
import { type Plot, plotOf } from './pivot';
import type { Answer, Cell } from './queries';
import { type Shape, shapeOf, spanOf } from './shape';

export type AnswerView = {
  shape: Shape;
  order: RowOrder | null;
  rows: readonly (readonly Cell[])[];
  plot: Plot | null;
  kinds: readonly Kind[];
  shown: Shown;
  measures: readonly string[];
  spanMs: number | null;
};

/** `chosen` is the order that the reader asked for, `undefined` as long as there was no such wish. */
export function viewOf(
  answer: Answer,
  chart: ChartView,
  measure: string,
  chosen: RowOrder | null | undefined,
): AnswerView {
  const shape = shapeOf(answer, answer.query);
  const order = chosen === undefined ? firstOrder(answer, shape) : chosen;
  const rows = sorted(answer.rows, answer.columns, order);
  const spanMs = spanOf(answer.query);
  const byTotal = order?.descending === true && shape.additive.has(order.column);
  const plot = plotOf(answer, shape, rows, measure, spanMs, byTotal);
  const kinds = plot === null ? [] : kindsFor(plot);
  const names = shape.measures.map((column) => answer.columns[column]?.name ?? '');
  const canShowAll = plot?.axis === 'time' && shape.groups.length === 1 && names.length > 1;
  return {
    shape,
    order,
    rows,
    plot,
    kinds,
    shown: shownAs(chart, kinds),
    measures: canShowAll ? ['', ...names] : names,
    spanMs: spanMs ?? plot?.spanMs ?? null,
  };
}

/** Where the query asks for no order the greatest rows come first; times and severities have an order of their own. */
function firstOrder(answer: Answer, shape: Shape): RowOrder | null {
  const [group] = shape.groups;
  const [measure] = shape.measures;
  const kind = answer.columns[group ?? -1]?.kind;
  if (shape.isOrdered || measure === undefined || kind !== 'text') return null;
  return { column: measure, descending: true };
}

function shownAs(chart: ChartView, kinds: readonly Kind[]): Shown {
  if (chart === 'table') return 'table';
  return kinds.find((kind) => kind === chart) ?? kinds[0] ?? 'table';
}
