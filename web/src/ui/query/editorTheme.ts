/** The theme of the query editor. */
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { StateField } from '@codemirror/state';
import { lex } from './lexer';

const LINES_MAX = 8;
/** The height of a line, which is enough for a token. */
const LINE_PX = 26;
const LINES_AT_REST = 3;

export const editorTheme = EditorView.theme({
  '&': { color: 'var(--mantine-color-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    maxHeight: `${LINES_AT_REST * LINE_PX + 12}px`,
    overflow: 'auto',
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '13px',
    lineHeight: `${LINE_PX}px`,
  },
  '&.cm-focused .cm-scroller': { maxHeight: `${LINES_MAX * LINE_PX + 12}px` },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--mantine-color-placeholder)' },
  '.cm-token-field': { color: 'var(--query-field)' },
  '.cm-token-operator, .cm-token-bracket': { color: 'var(--query-sign)' },
  '.cm-token-quoted': { color: 'var(--query-quoted)' },
  '.cm-token-regex, .cm-token-wildcard': { color: 'var(--query-pattern)' },
  '.cm-token-number': { color: 'var(--query-number)' },
  '.cm-token-keyword': { color: 'var(--query-keyword)' },
  '.cm-token-pipe': { color: 'var(--query-keyword)', fontWeight: '700' },
  '.cm-token-stage': { color: 'var(--query-keyword)', fontWeight: '600' },
  '.cm-token-function': { color: 'var(--query-number)' },
  '.cm-clause': {
    padding: '3px 6px',
    borderRadius: 'var(--r-s)',
    backgroundColor: 'var(--accent-soft)',
    boxDecorationBreak: 'clone',
    WebkitBoxDecorationBreak: 'clone',
  },
  '.cm-clause[data-unbroken]': { whiteSpace: 'nowrap' },
  '.cm-clause[data-kind="word"]': { backgroundColor: 'var(--hit)' },
  '.cm-clause[data-kind="not"]': { backgroundColor: 'var(--err-soft)' },
  '.cm-clause[data-kind="stage"]': { backgroundColor: 'var(--notice-soft)' },
  // On a token, colours of the text are redundant, as the token shows its effect.
  '.cm-clause [class*="cm-token-"]': { color: 'var(--ink)', fontWeight: '400' },
  '.cm-clause[data-kind="field"] .cm-token-field': { color: 'var(--accent)' },
  '.cm-clause[data-kind="field"] .cm-token-operator': { color: 'var(--ink-2)' },
  '.cm-clause[data-kind="not"] .cm-token-operator, .cm-clause[data-kind="not"] .cm-token-keyword': {
    color: 'var(--err)',
    fontWeight: '600',
  },
  '.cm-clause[data-kind="stage"] .cm-token-stage, .cm-clause[data-kind="stage"] .cm-token-function':
    { color: 'var(--notice)', fontWeight: '600' },
  '.cm-problem': {
    textDecoration: 'underline wavy var(--err) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-sign': {
    flex: 'none',
    width: '20px',
    height: '20px',
    borderRadius: '4px',
    backgroundColor: 'var(--hover)',
    color: 'var(--mantine-color-dimmed)',
    textAlign: 'center',
    lineHeight: '20px',
  },
  '.cm-sign[data-kind="field"]': { color: 'var(--query-field)' },
  '.cm-sign[data-kind="value"]': { color: 'var(--query-number)' },
  '.cm-sign[data-kind="stage"], .cm-sign[data-kind="function"]': { color: 'var(--query-keyword)' },
});

/** The colours of a query while it is typed. */
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
