import { expect, test } from 'vitest';
import { sample } from '../../ui/message/sample';
import { isAllSaid, titleOf } from './title';

const check = (message: string, title: string, all: boolean) => {
  const of = sample({ id: 'main:1', message });
  expect([titleOf(of), isAllSaid(of)]).toEqual([title, all]);
};

test('a short message is its own title, and needs no second telling', () => {
  check('session opened', 'session opened', true);
});

test('a title says less than a message of several lines, a long one, or one with values', () => {
  check('boom\n  at a.b', 'boom', false);
  check('boom\\n\\tat a.b', 'boom', false);
  check('x'.repeat(300), 'x'.repeat(200), false);
  check('{"msg": "sent", "status": 502}', 'sent', false);
});

test('an empty message is called by its id', () => {
  check('', 'main:1', true);
});
