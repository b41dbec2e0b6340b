/**
 * Clauses as tokens in the editor. They only decorate the text: the text alone is copied and run.
 */
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Clauses } from './clauses';
import { unitAt } from './offsets';

export const setClauses = StateEffect.define<Clauses>();

/** The tokens move with the text as it changes, until the server has interpreted it again. */
export const clauseMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setClauses))
        next = marksOf(effect.value, transaction.newDoc.toString()) ?? next;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The maximum length of a token that is never broken into two lines, in UTF-16 units. */
const UNBROKEN_MAX = 24;

/** The decorations; none if the clauses belong to another text. */
function marksOf({ of, parts }: Clauses, text: string): DecorationSet | null {
  if (of !== text) return text.trim() === '' ? Decoration.none : null;
  return Decoration.set(
    parts.flatMap(({ kind, text: written, start, end }, at) => {
      // A query for everything is not shown as a clause.
      if (written === '*') return [];
      const [from, to] = [unitAt(text, start), unitAt(text, end)];
      const isShort = to - from <= UNBROKEN_MAX;
      const attributes = {
        'data-kind': kind,
        'data-clause': String(at),
        ...(isShort && { 'data-unbroken': '' }),
      };
      return from < to ? [Decoration.mark({ class: 'cm-clause', attributes }).range(from, to)] : [];
    }),
    true,
  );
}
