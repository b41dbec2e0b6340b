/**
 * The field for a query with colours and suggestions. It is large, so `QueryField` loads it after
 * the page.
 */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeCompletion,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, placeholder as placeholderOf } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import {
  acceptChosen,
  acceptFirst,
  detailElement,
  listLook,
  listOptions,
  moveIn,
} from '../editor/completion';
import { ClauseTools } from './ClauseTools';
import { clauseMarks, setClauses } from './clauseMarks';
import type { Clause, ClauseAction, Clauses } from './clauses';
import { colours, editorTheme } from './editorTheme';
import { type QueryMark, problemMarks, setProblems } from './marks';
import { charactersBefore, unitAt } from './offsets';
import { type Complete, type Suggestion, detailOf, signs } from './suggestions';

export type QueryFieldHandle = {
  focus: () => void;
  blur: () => void;
  /** Selects a part of the text, given in characters. */
  select: (start: number, end: number) => void;
};

export type EditorProps = {
  label: string;
  placeholder: string;
  value: string;
  problems: readonly QueryMark[];
  /** The clauses that are shown as tokens. */
  clauses: Clauses;
  complete: Complete;
  /** The initial position of the cursor; null does not change the focus. */
  cursor: number | null;
  onClause: (action: ClauseAction, clause: Clause) => void;
  onChange: (value: string) => void;
  onRun: (newTab: boolean) => void;
  /** The previous (1) or next (-1) query in the history; null at its ends. */
  onHistory: (step: 1 | -1) => string | null;
  ref: Ref<QueryFieldHandle>;
};

export default function QueryEditor(props: EditorProps) {
  const { value, problems, clauses, placeholder, onClause, ref } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const hint = useRef(new Compartment());
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (host.current === null) return;
    const { label, cursor, value: doc } = latest.current;
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({ doc, extensions: extensionsOf(latest, label, hint.current) }),
    });
    editor.current = view;
    if (cursor !== null) {
      view.focus();
      view.dispatch({ selection: { anchor: Math.min(cursor, doc.length) } });
    }
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, []);

  useEffect(() => {
    const view = editor.current;
    if (view === null || view.state.doc.toString() === value) return;
    const changes = { from: 0, to: view.state.doc.length, insert: value };
    view.dispatch({ changes, selection: { anchor: value.length } });
  }, [value]);

  useEffect(() => {
    editor.current?.dispatch({ effects: setProblems.of(problems) });
  }, [problems]);

  useEffect(() => {
    editor.current?.dispatch({ effects: setClauses.of(clauses) });
  }, [clauses]);

  useEffect(() => {
    editor.current?.dispatch({ effects: hint.current.reconfigure(placeholderOf(placeholder)) });
  }, [placeholder]);

  useImperativeHandle(ref, () => ({
    focus: () => {
      const view = editor.current;
      view?.focus();
      view?.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
    },
    blur: () => editor.current?.contentDOM.blur(),
    select: (start, end) => {
      const view = editor.current;
      if (view === null) return;
      const text = view.state.doc.toString();
      view.focus();
      view.dispatch({
        selection: { anchor: unitAt(text, start), head: unitAt(text, end) },
        scrollIntoView: true,
      });
    },
  }));

  return (
    <>
      <div ref={host} />
      <ClauseTools host={host} parts={clauses.of === value ? clauses.parts : []} onAct={onClause} />
    </>
  );
}

type Latest = { readonly current: EditorProps };

function extensionsOf(latest: Latest, label: string, hint: Compartment) {
  return [
    history(),
    hint.of(placeholderOf(latest.current.placeholder)),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    colours,
    problemMarks,
    // This extension is last, so that a token encloses everything in it and is a single element.
    clauseMarks,
    autocompletion({
      ...listOptions,
      override: [(context) => completionsOf(latest.current.complete, context)],
      activateOnCompletion: (completion) => completion.type === 'field',
      addToOptions: suggestionParts,
    }),
    Prec.high(keymap.of(keysOf(latest))),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.updateListener.of((update) => {
      const text = update.state.doc.toString();
      // A change from outside is not reported back.
      if (update.docChanged && text !== latest.current.value) latest.current.onChange(text);
    }),
    listLook,
    editorTheme,
  ];
}

function keysOf(latest: Latest) {
  const run = (newTab: boolean) => () => {
    latest.current.onRun(newTab);
    return true;
  };
  return [
    // A suggestion that was selected with the arrow keys is accepted; one that was merely shown does not interfere.
    {
      key: 'Enter',
      run: (view: EditorView) => {
        if (acceptChosen(view)) return true;
        closeCompletion(view);
        return run(false)();
      },
    },
    { key: 'Mod-Enter', run: run(true) },
    { key: 'Tab', run: acceptFirst },
    { key: 'ArrowDown', run: (view: EditorView) => moveIn(view, 1) || openWhenEmpty(view) },
    { key: 'ArrowUp', run: (view: EditorView) => moveIn(view, -1) },
    { key: 'Ctrl-Space', run: startCompletion },
    { key: 'Alt-ArrowUp', run: (view: EditorView) => recall(view, latest, 1) },
    { key: 'Alt-ArrowDown', run: (view: EditorView) => recall(view, latest, -1) },
    {
      key: 'Escape',
      run: (view: EditorView) => {
        if (!closeCompletion(view)) view.contentDOM.blur();
        return true;
      },
    },
  ];
}

function openWhenEmpty(view: EditorView): boolean {
  return view.state.doc.length === 0 && startCompletion(view);
}

function recall(view: EditorView, latest: Latest, step: 1 | -1): boolean {
  const query = latest.current.onHistory(step);
  if (query === null) return true;
  closeCompletion(view);
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: query },
    selection: { anchor: query.length },
  });
  return true;
}

/** Suggestions from the server and the history, in the form that the editor's list shows. */
export async function completionsOf(
  complete: Complete,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const aborter = new AbortController();
  context.addEventListener('abort', () => aborter.abort(), { onDocChange: true });
  const cursor = charactersBefore(text, context.pos);
  const found = await complete(text, cursor, aborter.signal).catch(() => null);
  if (found === null || found.options.length === 0) return null;
  return {
    from: unitAt(text, found.from),
    to: unitAt(text, found.to),
    filter: false,
    options: found.options.map((option) => new Offer(option)),
  };
}

/** The parts of a list row next to its label. */
export const suggestionParts = [
  { render: renderSign, position: 20 },
  { render: renderDetail, position: 80 },
];

/** A suggestion in the editor's own format. */
class Offer implements Completion {
  readonly label: string;
  readonly apply: string;
  readonly type: string;

  constructor(readonly option: Suggestion) {
    this.label = option.label;
    this.apply = option.insert;
    this.type = option.kind;
  }
}

function renderSign(completion: Completion): Node | null {
  if (!(completion instanceof Offer)) return null;
  const sign = document.createElement('span');
  sign.className = 'cm-sign';
  sign.dataset['kind'] = completion.option.kind;
  sign.ariaHidden = 'true';
  sign.textContent = signs[completion.option.kind];
  return sign;
}

function renderDetail(completion: Completion): Node | null {
  return completion instanceof Offer ? detailElement(detailOf(completion.option)) : null;
}
