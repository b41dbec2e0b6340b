/** A text editor for TOML. It is big, so whoever uses it loads it lazily. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  HighlightStyle,
  StreamLanguage,
  bracketMatching,
  syntaxHighlighting,
} from '@codemirror/language';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
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
import classes from './TomlEditor.module.css';

/** A place in the text with something to say about it; lines and columns count from 1. */
export type Mark = { line?: number; column?: number; message: string };

type Props = {
  label: string;
  value: string;
  marks: readonly Mark[];
  readOnly: boolean;
  onChange: (value: string) => void;
};

export default function TomlEditor({ label, value, marks, readOnly, onChange }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const latest = useRef({ value, onChange });
  useEffect(() => {
    latest.current = { value, onChange };
  });

  useEffect(() => {
    if (host.current === null) return;
    const view = new EditorView({
      parent: host.current,
      doc: latest.current.value,
      extensions: [
        ...extensions,
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          const text = update.state.doc.toString();
          if (update.docChanged && text !== latest.current.value) latest.current.onChange(text);
        }),
      ],
    });
    editor.current = view;
    return () => view.destroy();
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

  return <div ref={host} className={classes.editor} />;
}

/** A mark runs to the end of its word, or of its line when it has no column. */
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
  '&': { color: 'var(--mantine-color-text)', backgroundColor: 'var(--panel)', height: '100%' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '13px',
    lineHeight: '20px',
  },
  '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': {
    backgroundColor: 'var(--rail)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--hit) !important',
  },
  // The library draws these as data: images, which the content security policy forbids.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': { content: 'none' },
  '.cm-lint-marker': {
    width: '8px',
    height: '8px',
    margin: '6px 3px',
    borderRadius: '50%',
    backgroundColor: 'var(--bad)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
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
  // Tab leaves the editor, as it leaves every other field.
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorView.lineWrapping,
  look,
];
