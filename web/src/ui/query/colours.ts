/** The colours of a query while it is written. */
import { StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { lex } from './lexer';

export const colours = StateField.define<DecorationSet>({
  create: (state) => coloursOf(state.doc.toString()),
  update: (colours, { docChanged, newDoc }) =>
    docChanged ? coloursOf(newDoc.toString()) : colours,
  provide: (field) => EditorView.decorations.from(field),
});

function coloursOf(text: string): DecorationSet {
  return Decoration.set(
    lex(text).map(({ kind, start, end }) =>
      Decoration.mark({ class: `cm-token-${kind}` }).range(start, end),
    ),
  );
}
