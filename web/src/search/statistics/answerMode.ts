/** The ways in which an answer is shown. */
import type { Kind } from './chart/layout';

export type AnswerMode = Kind | 'table';

export const modeLabels: Readonly<Record<AnswerMode, string>> = {
  table: 'Table',
  bars: 'Bars',
  lines: 'Lines',
  area: 'Area',
};
