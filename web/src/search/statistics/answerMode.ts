/** The ways in which an answer is shown. */
import type { Kind } from './chart/layout';

export type AnswerMode = Kind | 'table';

export function labelOf(shown: AnswerMode): string {
  switch (shown) {
    case 'table':
      return 'Table';
    case 'bars':
      return 'Bars';
    case 'lines':
      return 'Lines';
    case 'area':
      return 'Area';
  }
}
