/** A description of a chart and its table in words. */
import { formatCount } from '../../ui/number';
import { formatSpan } from '../../ui/chart/ticks';
import { modeLabels } from './answerMode';
import type { TableAnswer } from './queries';
import type { AnswerView } from './view';

/** `p95(took) by path`, or the names of the columns if nothing is counted. */
export function headlineOf(answer: TableAnswer, { shape, plot, measures }: AnswerView): string {
  const names = (places: readonly number[]) =>
    places.map((place) => answer.columns[place]?.name ?? '');
  const what =
    plot === null || plot.measure === ''
      ? measures.filter((name) => name !== '').join(', ')
      : plot.measure;
  const by = names(shape.groups.filter((place) => answer.columns[place]?.kind !== 'time'));
  if (what === '') return (by.length > 0 ? by : answer.columns.map(({ name }) => name)).join(', ');
  return by.length === 0 ? what : `${what} by ${by.join(', ')}`;
}

/** `17 series × 144 steps of 10 min`, `4 rows`. */
export function extentOf({ rows }: TableAnswer, { plot, pivot }: AnswerView): string {
  if (plot?.axis === 'time' && plot.spanMs !== null) {
    const count = pivot === null ? plot.series.length : rows.length / plot.points.length;
    const series = count <= 1 ? '' : `${formatCount(Math.ceil(count))} series × `;
    return `${series}${formatCount(plot.points.length)} steps of ${formatSpan(plot.spanMs)}`;
  }
  return `${formatCount(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`;
}

/** `Bars: count by host, program`. */
export function titleOf(
  answer: TableAnswer,
  { shape, plot }: AnswerView,
  shown: 'bars' | 'lines' | 'area',
) {
  const names = shape.groups.map((column) => answer.columns[column]?.name ?? '');
  const measure = plot?.measure ?? '';
  return `${modeLabels[shown]}: ${measure === '' ? 'all values' : measure} by ${names.join(', ')}`;
}
