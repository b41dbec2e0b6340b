/** The field for a query with colours and suggestions. It is big, so `QueryField` loads it after the page. */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionStatus,
  currentCompletions,
  selectedCompletion,
  selectedCompletionIndex,
  setSelectedCompletion,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  Compartment,
  EditorState,
  Prec,
  type Range,
  StateEffect,
  StateField,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  placeholder as placeholderOf,
} from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { look } from './look';
import { lex } from './lexer';
import { charactersBefore, spanOf, unitAt } from './places';
import { type Complete, type Suggestion, detailOf, signOf } from './suggestions';

/** A place in the query with something to say about it, as problems and warnings of the server name it. */
export type QueryMark = {
  line?: number | undefined;
  column?: number | undefined;
  end_column?: number | undefined;
  message: string;
};

export type QueryFieldHandle = {
  focus: () => void;
  /** Marks a part of the text, in characters. */
  select: (start: number, end: number) => void;
};

export type EditorProps = {
  label: string;
  placeholder: string;
  value: string;
  problems: readonly QueryMark[];
  complete: Complete;
  /** Where the cursor is to be at first; null leaves the focus where it is. */
  cursor: number | null;
  onChange: (value: string) => void;
  onRun: (newTab: boolean) => void;
  /** The query before (1) or after (-1) in the history; null at its ends. */
  onHistory: (step: 1 | -1) => string | null;
  ref: Ref<QueryFieldHandle>;
};

const TYPING_REST_MS = 120;
const OPTIONS_SHOWN = 10;

export default function QueryEditor(props: EditorProps) {
  const { value, problems, placeholder, ref } = props;
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
    editor.current?.dispatch({ effects: hint.current.reconfigure(placeholderOf(placeholder)) });
  }, [placeholder]);

  useImperativeHandle(ref, () => ({
    focus: () => {
      const view = editor.current;
      view?.focus();
      view?.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
    },
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

  return <div ref={host} />;
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
    autocompletion({
      override: [(context) => completionsOf(latest, context)],
      activateOnTypingDelay: TYPING_REST_MS,
      activateOnCompletion: (completion) => completion.type === 'field',
      selectOnOpen: false,
      // Nothing is taken that was not chosen. Tab that comes just as the list opens must take, too, not leave.
      interactionDelay: 0,
      icons: false,
      // The list never scrolls: it moves along with the choice, and needs no focus of its own.
      maxRenderedOptions: OPTIONS_SHOWN,
      defaultKeymap: false,
      addToOptions: [
        { render: renderSign, position: 20 },
        { render: renderDetail, position: 80 },
      ],
    }),
    Prec.high(keymap.of(keysOf(latest))),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString());
    }),
    look,
  ];
}

function keysOf(latest: Latest) {
  const run = (newTab: boolean) => () => {
    latest.current.onRun(newTab);
    return true;
  };
  return [
    // A suggestion that was chosen with the arrows is taken; one that only came up is not in the way.
    {
      key: 'Enter',
      run: (view: EditorView) => {
        if (selectedCompletion(view.state) !== null && acceptCompletion(view)) return true;
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

/** Without an open list Tab leaves the field, as it leaves every other. */
function acceptFirst(view: EditorView): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  if (selectedCompletion(view.state) === null) view.dispatch({ effects: setSelectedCompletion(0) });
  return acceptCompletion(view);
}

function moveIn(view: EditorView, step: 1 | -1): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  const count = currentCompletions(view.state).length;
  const at = selectedCompletionIndex(view.state);
  const next = at === null ? (step === 1 ? 0 : count - 1) : (at + step + count) % count;
  view.dispatch({ effects: setSelectedCompletion(next) });
  return true;
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

async function completionsOf(
  latest: Latest,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const aborter = new AbortController();
  context.addEventListener('abort', () => aborter.abort(), { onDocChange: true });
  const cursor = charactersBefore(text, context.pos);
  const found = await latest.current.complete(text, cursor, aborter.signal).catch(() => null);
  if (found === null || found.options.length === 0) return null;
  return {
    from: unitAt(text, found.from),
    to: unitAt(text, found.to),
    filter: false,
    options: found.options.map((option) => new Offer(option)),
  };
}

/** A suggestion in the editor's own form. */
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
  sign.textContent = signOf(completion.option.kind);
  return sign;
}

function renderDetail(completion: Completion): Node | null {
  if (!(completion instanceof Offer)) return null;
  const detail = document.createElement('span');
  detail.className = 'cm-offerDetail';
  detail.textContent = detailOf(completion.option);
  return detail;
}

const setProblems = StateEffect.define<readonly QueryMark[]>();

/** The places go with the text as it is written on, until the next run. */
const problemMarks = StateField.define<DecorationSet>({
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

const colours = StateField.define<DecorationSet>({
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
