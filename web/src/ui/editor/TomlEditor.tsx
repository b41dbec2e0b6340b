/** A text editor for TOML, with suggestions. It is large, so pages load it lazily. */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeCompletion,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  HighlightStyle,
  StreamLanguage,
  bracketMatching,
  syntaxHighlighting,
} from '@codemirror/language';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, Prec, type Text } from '@codemirror/state';
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import {
  type Offer,
  type OffersAt,
  acceptChosen,
  acceptFirst,
  detailElement,
  listLook,
  listOptions,
  moveIn,
} from './completion';
import classes from './TomlEditor.module.css';

/** A message about a position in the text; lines and columns count from 1. */
export type Mark = { line?: number; column?: number; message: string };

type Props = {
  label: string;
  value: string;
  marks: readonly Mark[];
  readOnly: boolean;
  offersAt: OffersAt;
  /** The position of the caret, which is set whenever a new one is given. */
  caret: Mark | null;
  onChange: (value: string) => void;
};

export default function TomlEditor(props: Props) {
  const { label, value, marks, readOnly, offersAt, caret, onChange } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const latest = useRef({ value, offersAt, onChange });
  useEffect(() => {
    latest.current = { value, offersAt, onChange };
  });

  useEffect(() => {
    if (host.current === null) return;
    const view = new EditorView({
      parent: host.current,
      doc: latest.current.value,
      extensions: [
        ...extensions,
        suggestions((text, cursor) => latest.current.offersAt(text, cursor)),
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          const text = update.state.doc.toString();
          if (update.docChanged && text !== latest.current.value) latest.current.onChange(text);
        }),
      ],
    });
    editor.current = view;
    // A panel that opens below the editor makes it smaller, but the line that is being edited stays visible.
    const resized = new ResizeObserver(() => {
      if (view.hasFocus) showCaret(view);
    });
    resized.observe(view.dom);
    return () => {
      resized.disconnect();
      view.destroy();
    };
  }, [label, readOnly]);

  useEffect(() => {
    const view = editor.current;
    if (view === null || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const view = editor.current;
    if (view === null) return;
    const diagnostics = marks.flatMap((mark) => diagnosticOf(mark, view.state.doc));
    view.dispatch(setDiagnostics(view.state, diagnostics));
  }, [marks, value]);

  useEffect(() => {
    const view = editor.current;
    if (view === null || caret?.line === undefined) return;
    const [place] = diagnosticOf(caret, view.state.doc);
    if (place === undefined) return;
    view.dispatch({ selection: { anchor: place.from } });
    showCaret(view);
    view.focus();
  }, [caret]);

  return <div ref={host} className={classes.editor} />;
}

function showCaret(view: EditorView): void {
  view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
}

/** The list opens while a key or a value is typed, and on Ctrl-Space. */
function suggestions(offersAt: OffersAt) {
  return [
    autocompletion({
      ...listOptions,
      override: [(context) => completionsOf(offersAt, context)],
      activateOnCompletion: (completion) => completion instanceof TomlOffer && completion.leadsOn,
      addToOptions: [{ render: renderDetail, position: 80 }],
    }),
    Prec.high(
      keymap.of([
        { key: 'Enter', run: acceptChosen },
        { key: 'Tab', run: acceptFirst },
        { key: 'ArrowDown', run: (view) => moveIn(view, 1) },
        { key: 'ArrowUp', run: (view) => moveIn(view, -1) },
        { key: 'Ctrl-Space', run: startCompletion },
        { key: 'Escape', run: closeCompletion },
      ]),
    ),
  ];
}

function completionsOf(offersAt: OffersAt, context: CompletionContext): CompletionResult | null {
  if (context.state.readOnly) return null;
  const found = offersAt(context.state.doc.toString(), context.pos);
  // A complete word needs no list that only repeats it.
  const isComplete = found?.options.every(
    ({ insert }) => insert.trim() === context.state.sliceDoc(found.from, found.to),
  );
  if (found === null || (isComplete === true && !context.explicit)) return null;
  const { from, to, options } = found;
  return { from, to, filter: false, options: options.map((offer) => new TomlOffer(offer)) };
}

/** A suggestion in the editor's own format. */
class TomlOffer implements Completion {
  readonly label: string;
  readonly apply: string;
  readonly sentence: string;
  readonly leadsOn: boolean;

  constructor({ label, insert, detail, leadsOn }: Offer) {
    this.label = label;
    this.apply = insert;
    this.sentence = detail;
    this.leadsOn = leadsOn;
  }
}

function renderDetail(completion: Completion): Node | null {
  return completion instanceof TomlOffer ? detailElement(completion.sentence) : null;
}

/** A mark extends to the end of its word, or of its line if it has no column. */
function diagnosticOf({ line, column, message }: Mark, text: Text): Diagnostic[] {
  if (line === undefined || line < 1 || line > text.lines) return [];
  const at = text.line(line);
  const before = Array.from(at.text).slice(0, (column ?? 1) - 1);
  const from = Math.min(at.from + before.join('').length, at.to);
  const word = /^[^\s=\],}]+/.exec(text.sliceString(from, at.to))?.[0].length ?? 1;
  const to = column === undefined ? at.to : Math.min(from + word, at.to);
  return [{ from, to, message, severity: 'error' }];
}

const highlightStyle = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.atom, tags.bool], color: 'var(--severity-notice)' },
  { tag: tags.propertyName, color: 'var(--mantine-color-text)' },
]);

const look = EditorView.theme({
  '&': { color: 'var(--mantine-color-text)', backgroundColor: 'var(--surface)', height: '100%' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '13px',
    lineHeight: '20px',
  },
  '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--hit) !important',
  },
  // The library draws these as `data:` images, which the content security policy forbids.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--err) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': { content: 'none' },
  '.cm-lint-marker': {
    width: '8px',
    height: '8px',
    margin: '6px 3px',
    borderRadius: '50%',
    backgroundColor: 'var(--err)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    alignItems: 'baseline',
    padding: '4px 8px',
  },
  '.cm-completionLabel': { flex: 'none', minWidth: '112px' },
  // A sentence must be readable as a whole, so it is wrapped to a second line rather than cut.
  '.cm-offerDetail': { flex: '1', maxWidth: 'none', whiteSpace: 'normal' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--err)' },
});

const extensions = [
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  bracketMatching(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  StreamLanguage.define(toml),
  syntaxHighlighting(highlightStyle),
  // Tab leaves the editor, like every other field.
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorView.lineWrapping,
  // The first theme takes precedence: the list looks a little different here.
  look,
  listLook,
];
