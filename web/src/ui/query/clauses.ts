/** The parts of a query as the server reads it, to be shown and clicked as one piece each. */
import type { QueryResponse } from '../../api/model';

/** The effect of a part: compares a field, looks for words, leaves out, or makes a table. */
export type ClauseKind = 'field' | 'word' | 'not' | 'stage';

/** `start` and `end` are characters of the query, as the server counts them. */
export type Clause = { text: string; start: number; end: number; kind: ClauseKind };

/** The parts of one text; for any other they say nothing. */
export type Clauses = { of: string; parts: readonly Clause[] };

export const NO_CLAUSES: Clauses = { of: '', parts: [] };

export type ClauseAction = 'off' | 'negate' | 'edit' | 'remove';

export function clausesOf(of: string, reading: Pick<QueryResponse, 'clauses' | 'stages'>): Clauses {
  const clauses = reading.clauses.map(({ text, start, end, negated, fields }): Clause => {
    const kind = fields.length > 0 ? 'field' : 'word';
    return { text, start, end, kind: negated ? 'not' : kind };
  });
  const stages = reading.stages.map(({ text, start, end }): Clause => {
    return { text: `| ${text}`, start, end, kind: 'stage' };
  });
  return { of, parts: [...clauses, ...stages] };
}

/** The actions on a part; a stage has no opposite, and switched off it would leave another question. */
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
