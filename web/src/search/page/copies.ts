/** Copies: messages that routes stored in several logspaces count once, and can be asked to count in each. */
import type { QueryEdit } from '../../api/model';
import { formatCount } from '../../ui/number';

/** Makes copies count. */
export const withCopies: QueryEdit = { op: 'add', text: 'copies:all' };

export function copiesText(copies: number): string {
  return copies === 1 ? '1 copy left out' : `${formatCount(copies)} copies left out`;
}
