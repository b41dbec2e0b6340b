import { expect, test } from 'vitest';
import { lineParts } from '../../ui/message/rowLayout';
import { movedPart, readOrder } from './lineOrder';

test('an order that lacks a part, or names another, is completed', () => {
  expect(readOrder([])).toEqual(lineParts);
  expect(readOrder(['message', 'size', 'host', 'host'])).toEqual([
    'message',
    'host',
    'program',
    'logspace',
  ]);
});

test('a part takes the place of another, and nowhere is no place', () => {
  const check = (part: string, to: string | undefined, order: string[]) =>
    expect(movedPart(lineParts, part, to)).toEqual(order);
  check('program', 'host', ['program', 'host', 'message', 'logspace']);
  check('host', 'message', ['program', 'message', 'host', 'logspace']);
  check('host', undefined, [...lineParts]);
});
