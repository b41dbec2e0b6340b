import { expect, test } from 'vitest';
import { sample } from '../ui/message/sample';
import type { Line } from './buffer';
import { type Row, rowsOf } from './rows';

const none = new Set<number>();

function lines(...texts: string[]): Line[] {
  return texts.map((text, key) => ({
    key,
    kind: 'message',
    message: sample({ id: `main:${key}`, message: text, raw: `${key}` }),
  }));
}

function told(rows: readonly Row[]): string[] {
  return rows.map((row) =>
    row.kind === 'note'
      ? row.note.kind
      : `${row.key} ${row.message.message} ×${row.fold?.times ?? 1}`,
  );
}

test('a run of one kind is one row with the newest of it, which grows in its place', () => {
  const some = lines('up', 'try 1', 'try 2', 'try 3');
  expect(told(rowsOf(some, none, []))).toEqual(['0 up ×1', '1 try 3 ×3']);
  const more = [...some, ...lines('', '', '', '', 'try 4').slice(4)];
  expect(told(rowsOf(more, none, []))).toEqual(['0 up ×1', '1 try 4 ×4']);
});

test('two of a kind are two rows, and what differs ends a run', () => {
  const rows = rowsOf(lines('try 1', 'try 2', 'down', 'try 3'), none, []);
  expect(told(rows)).toEqual(['0 try 1 ×1', '1 try 2 ×1', '2 down ×1', '3 try 3 ×1']);
});

test('a run that was opened shows all its rows, and can be folded by the first', () => {
  const rows = rowsOf(lines('try 1', 'try 2', 'try 3'), new Set([0]), []);
  expect(told(rows)).toEqual(['0 try 1 ×3', '1 try 2 ×1', '2 try 3 ×1']);
  expect(rows[0]?.fold?.isExpanded).toBe(true);
});

test('a note ends a run', () => {
  const note: Line = { key: 9, kind: 'note', note: { kind: 'gap', messages: 1, reason: 'slow' } };
  const [a, b, c] = lines('try 1', 'try 2', 'try 3') as [Line, Line, Line];
  expect(told(rowsOf([a, b, note, c], none, []))).toEqual([
    '0 try 1 ×1',
    '1 try 2 ×1',
    'gap',
    '2 try 3 ×1',
  ]);
});

test('rows that did not change are the same ones', () => {
  const some = lines('try 1', 'try 2', 'try 3');
  const [row] = rowsOf(some, none, []);
  expect(rowsOf(some, none, row === undefined ? [] : [row])[0]).toBe(row);
});
