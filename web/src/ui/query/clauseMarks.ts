/** Clauses as tokens in the editor. They are drawn over the text: what is copied and run is the text alone. */
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Clauses } from './clauses';
import { unitAt } from './offsets';

export const setClauses = StateEffect.define<Clauses>();

/** They go along with the text as it changes, until the server has read it again. */
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

/** Units of a token that is never broken into two lines. */
const UNBROKEN_MAX = 24;

/** Null where they are of another text than this. */
function marksOf({ of, parts }: Clauses, text: string): DecorationSet | null {
  if (of !== text) return text.trim() === '' ? Decoration.none : null;
  return Decoration.set(
    parts.flatMap(({ kind, text: written, start, end }, at) => {
      // Everything is no clause that one would want to see.
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
