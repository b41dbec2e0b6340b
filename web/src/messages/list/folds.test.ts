import { expect, test } from 'vitest';
import type { Message } from '../../api/model';
import { sample } from '../../ui/message/sample';
import { foldedOf } from './folds';

/** The rows as text: the number of the message, and of its repeats. */
function rows(messages: Message[], expanded: string[] = [], open: string | null = null) {
  const { messages: shown, folds } = foldedOf(messages, new Set(expanded), open);
  return shown.map(({ id }) => {
    const { times = 1 } = folds.get(id) ?? {};
    return [id.slice(5), times > 1 && `×${times}`].filter((part) => part !== false).join(' ');
  });
}

const say = (texts: string[]) =>
  texts.map((message, n) => sample({ id: `main:${n}`, message, raw: `${n} ${message}` }));

test('three and more of one kind are one row, whatever their numbers', () => {
  expect(rows(say(['from 1.2.3.4', 'from 1.2.3.9', 'other']))).toEqual(['0', '1', '2']);
  expect(rows(say(['other', 'from 1.2.3.4', 'from 1.2.3.9', 'from 10.0.0.1', 'x']))).toEqual([
    '0',
    '1 ×3',
    '4',
  ]);
});

test('another sender or another severity is another kind', () => {
  const messages = say(['a 1', 'a 2', 'a 3', 'a 4']);
  const mixed = messages.map((message, n) => (n === 1 ? { ...message, host: 'web-2' } : message));
  expect(rows(mixed)).toEqual(['0', '1', '2', '3']);
  const worse = messages.map((message, n) => (n === 2 ? { ...message, severity: 2 } : message));
  expect(rows(worse)).toEqual(['0', '1', '2', '3']);
});

test('a fold that is opened, or holds the open message, shows all that is behind it', () => {
  const messages = say(['a 1', 'a 2', 'a 3']);
  expect(rows(messages, ['main:0'])).toEqual(['0 ×3', '1', '2']);
  expect(rows(messages, [], 'main:2')).toEqual(['0 ×3', '1', '2']);
  expect(rows(messages, [], 'main:0')).toEqual(['0 ×3']);
});

test('a flood of one kind has some rows of each page', () => {
  expect(rows(say(Array.from({ length: 120 }, (_, n) => `flood ${n}`)))).toEqual([
    '0 ×50',
    '50 ×50',
    '100 ×20',
  ]);
});
