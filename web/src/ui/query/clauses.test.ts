import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { clauseMarks, setClauses } from './clauseMarks';
import { type Clauses, actionName, actionsOn, clausesOf } from './clauses';

const clause = (text: string, start: number, fields: string[], negated = false) => ({
  text,
  start,
  end: start + Array.from(text).length,
  fields,
  negated,
});

const query = '𝒜 -host=a | top 5 host';
const reading = {
  clauses: [clause('𝒜', 0, []), clause('-host=a', 2, ['host'], true)],
  stages: [{ text: 'top 5 host', name: 'top', start: 12, end: 22 }],
};

function marksIn(doc: string, clauses: Clauses): string[] {
  const state = EditorState.create({ doc, extensions: clauseMarks });
  return shownIn(state.update({ effects: setClauses.of(clauses) }).state);
}

function shownIn(state: EditorState): string[] {
  const found: string[] = [];
  state.field(clauseMarks).between(0, state.doc.length, (from, to) => {
    found.push(state.sliceDoc(from, to));
  });
  return found;
}

test('words, fields, what is left out and stages are told apart', () => {
  const { parts } = clausesOf(query, reading);
  expect(parts.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'word 𝒜',
    'not -host=a',
    'stage | top 5 host',
  ]);
});

test('each is marked where the server saw it, which counts characters', () => {
  expect(marksIn(query, clausesOf(query, reading))).toEqual(['𝒜', '-host=a', 'top 5 host']);
});

test('what the server said of another text marks nothing', () => {
  expect(marksIn('something else', clausesOf(query, reading))).toEqual([]);
});

test('marks go along with the text until it is read again', () => {
  const state = EditorState.create({ doc: query, extensions: clauseMarks });
  const { state: marked } = state.update({ effects: setClauses.of(clausesOf(query, reading)) });
  const { state: moved } = marked.update({ changes: { from: 0, insert: 'new ' } });
  expect(shownIn(moved)).toEqual(['𝒜', '-host=a', 'top 5 host']);
});

test('a stage has no opposite, and what is left out can be taken in', () => {
  const [word, not, stage] = clausesOf(query, reading).parts;
  if (word === undefined || not === undefined || stage === undefined) throw new Error('three');
  expect(actionsOn(stage)).not.toContain('negate');
  expect(actionName('negate', word)).toBe('Exclude 𝒜');
  expect(actionName('negate', not)).toBe('Include -host=a');
});
