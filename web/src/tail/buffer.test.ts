import { expect, test } from 'vitest';
import { sample } from '../ui/message/sample';
import { Buffer } from './buffer';

const MAX = 4;

test('the newest lines are kept in order, and the rest is counted', () => {
  check((buffer) => add(buffer, 1, 3), { shown: [1, 2, 3] });
  check((buffer) => add(buffer, 1, 4), { shown: [1, 2, 3, 4] });
  check((buffer) => add(buffer, 1, 11), { shown: [8, 9, 10, 11], fellOut: 7 });
});

test('what is held waits, and comes after what was shown', () => {
  const hold = (buffer: Buffer) => {
    add(buffer, 1, 2);
    buffer.hold();
    add(buffer, 3, 4);
  };
  check(hold, { shown: [1, 2], waiting: 2 });
  const release = (buffer: Buffer) => {
    hold(buffer);
    buffer.release();
    add(buffer, 5, 5);
  };
  check(release, { shown: [2, 3, 4, 5], fellOut: 1 });
});

test('what is shown stays while more than fits is held', () => {
  const hold = (buffer: Buffer) => {
    add(buffer, 1, 2);
    buffer.hold();
    add(buffer, 3, 12);
  };
  check(hold, { shown: [1, 2], waiting: 10, fellOut: 6 });
  const release = (buffer: Buffer) => {
    hold(buffer);
    buffer.release();
  };
  check(release, { shown: [9, 10, 11, 12], fellOut: 8 });
});

test('a note takes the place of a line but is not a message', () => {
  const fill = (buffer: Buffer) => {
    buffer.addNote({ kind: 'gap', messages: 9, reason: 'expired' });
    add(buffer, 1, 4);
  };
  check(fill, { shown: [1, 2, 3, 4] });
  const hold = (buffer: Buffer) => {
    buffer.hold();
    buffer.addNote({ kind: 'gap', messages: 9, reason: 'expired' });
    add(buffer, 1, 1);
  };
  check(hold, { waiting: 1 });
});

test('nothing is left after it was cleared', () => {
  const clear = (buffer: Buffer) => {
    add(buffer, 1, 9);
    buffer.hold();
    add(buffer, 10, 19);
    buffer.clear();
  };
  check(clear, {});
});

test('a note can be changed where it is', () => {
  const buffer = new Buffer(MAX);
  const note = { kind: 'paused', from: 1, until: null, refilled: 0 } as const;
  const key = buffer.addNote(note);
  add(buffer, 1, 3);
  buffer.changeNote(key, { ...note, until: 2 });
  expect(buffer.lines()[0]).toEqual({ key, kind: 'note', note: { ...note, until: 2 } });
  add(buffer, 4, 4);
  buffer.changeNote(key, { ...note, until: 3 });
  expect(buffer.lines().map(({ kind }) => kind)).not.toContain('note');
});

test('no two lines have the same key', () => {
  const buffer = new Buffer(MAX);
  add(buffer, 1, 3);
  buffer.clear();
  buffer.addNote({ kind: 'gap', messages: 9, reason: 'expired' });
  add(buffer, 4, 5);
  expect(buffer.lines().map(({ key }) => key)).toEqual([3, 4, 5]);
});

type Expected = { shown?: number[]; waiting?: number; fellOut?: number };

function check(act: (buffer: Buffer) => void, expected: Expected) {
  const buffer = new Buffer(MAX);
  act(buffer);
  const shown = buffer
    .lines()
    .flatMap((line) => (line.kind === 'message' ? [Number(line.message.id)] : []));
  expect({ shown, waiting: buffer.waiting, fellOut: buffer.fellOut }).toEqual({
    shown: [],
    waiting: 0,
    fellOut: 0,
    ...expected,
  });
}

function add(buffer: Buffer, first: number, last: number) {
  for (let id = first; id <= last; id += 1) buffer.addMessage(sample({ id: String(id) }));
}
