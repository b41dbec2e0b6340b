import { expect, test } from 'vitest';
import { UNDO_MAX, begun, undoReducer } from './undo';

const edit = (state: number, mark: string | null = null) =>
  ({ type: 'edit', state, mark }) as const;
const undo = { type: 'undo' } as const;
const redo = { type: 'redo' } as const;

test('every edit can be taken back and made again', () => {
  const states = [1, 2, 3, 4];
  const all = states.reduce((at, state) => undoReducer(at, edit(state)), begun(0));
  const back = states.reduce((at) => undoReducer(at, undo), all);
  expect(back.present).toBe(0);
  expect(undoReducer(back, undo)).toBe(back);
  const again = states.reduce((at) => undoReducer(at, redo), back);
  expect(again).toEqual(all);
  expect(undoReducer(again, redo)).toBe(again);
});

test('typing in one field is one step', () => {
  let at = begun(0);
  for (const state of [1, 2, 3]) at = undoReducer(at, edit(state, 'name'));
  at = undoReducer(at, edit(4, 'filter'));
  at = undoReducer(at, undo);
  expect(at.present).toBe(3);
  expect(undoReducer(at, undo).present).toBe(0);
});

test('after a step back, the same field begins a new step', () => {
  let at = undoReducer(begun(0), edit(1, 'name'));
  at = undoReducer(at, edit(2, null));
  at = undoReducer(at, undo);
  at = undoReducer(at, edit(3, 'name'));
  expect(undoReducer(at, undo).present).toBe(1);
});

test('an edit forgets what was taken back', () => {
  let at = undoReducer(begun(0), edit(1));
  at = undoReducer(at, undo);
  at = undoReducer(at, edit(2));
  expect(at.future).toEqual([]);
});

test('the way back has an end', () => {
  let at = begun(0);
  for (let state = 1; state <= UNDO_MAX + 5; state += 1) at = undoReducer(at, edit(state));
  expect(at.past).toHaveLength(UNDO_MAX);
  expect(at.past[0]).toBe(5);
});
