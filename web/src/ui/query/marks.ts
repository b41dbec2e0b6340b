/** Positions in the query that the server's messages refer to, underlined. */
import { type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { spanOf } from './offsets';

/** A position in the query, in the form that the server's problems and warnings use. */
export type QueryMark = {
  line?: number | undefined;
  column?: number | undefined;
  end_column?: number | undefined;
  message: string;
};

export const setProblems = StateEffect.define<readonly QueryMark[]>();

/** The positions move with the text as it changes, until the next run. */
export const problemMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setProblems)) next = marksOf(effect.value, transaction.newDoc.toString());
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function marksOf(problems: readonly QueryMark[], text: string): DecorationSet {
  const ranges = problems.flatMap(({ line, column, end_column, message }): Range<Decoration>[] => {
    if (column === undefined) return [];
    const { start, end } = spanOf(text, line ?? 1, column, end_column);
    const mark = Decoration.mark({ class: 'cm-problem', attributes: { title: message } });
    return start < end ? [mark.range(start, end)] : [];
  });
  return Decoration.set(ranges, true);
}
