/**
 * The parts of a query as interpreted by the server, each of which is shown and clicked as a unit.
 */
import type { QueryResult } from '../../api/model';

/**
 * The effect of a part: it compares a field, searches for words, excludes messages, or makes a
 * table.
 */
export type ClauseKind = 'field' | 'word' | 'not' | 'stage';

/** `start` and `end` are positions in characters of the query, as counted by the server. */
export type Clause = { text: string; start: number; end: number; kind: ClauseKind };

/** The parts of one text; they do not apply to any other. */
export type Clauses = { of: string; parts: readonly Clause[] };

export const NO_CLAUSES: Clauses = { of: '', parts: [] };

export type ClauseAction = 'off' | 'negate' | 'edit' | 'remove';

export function clausesOf(of: string, reading: Pick<QueryResult, 'clauses' | 'stages'>): Clauses {
  const clauses = reading.clauses.map(({ text, start, end, negated, fields }): Clause => {
    const kind = fields.length > 0 ? 'field' : 'word';
    return { text, start, end, kind: negated ? 'not' : kind };
  });
  const stages = reading.stages.map(({ text, start, end }): Clause => {
    return { text: `| ${text}`, start, end, kind: 'stage' };
  });
  return { of, parts: [...clauses, ...stages] };
}

/**
 * The actions on a part. A stage has no opposite, and switching it off would change the kind of
 * question.
 */
export function actionsOn({ kind }: Clause): readonly ClauseAction[] {
  return kind === 'stage' ? ['off', 'edit', 'remove'] : ['off', 'negate', 'edit', 'remove'];
}

export function actionName(action: ClauseAction, { kind, text }: Clause): string {
  switch (action) {
    case 'off':
      return `Switch off ${text}`;
    case 'negate':
      return `${kind === 'not' ? 'Include' : 'Exclude'} ${text}`;
    case 'edit':
      return `Edit ${text}`;
    case 'remove':
      return `Remove ${text}`;
  }
}
