import { describe, expect, test } from 'vitest';
import { EventParser, type ServerEvent } from './eventParser';

const event = (data: string, name = 'message', id = ''): ServerEvent => ({ name, data, id });

const cases: [string, string, ServerEvent[]][] = [
  ['an event has a name, data and an id', 'event: a\nid: 7\ndata: x\n\n', [event('x', 'a', '7')]],
  ['an event without a name is a message', 'data: x\n\n', [event('x')]],
  ['lines may end with CRLF', 'event: a\r\ndata: x\r\n\r\n', [event('x', 'a')]],
  ['lines may end with CR', 'event: a\rdata: x\r\rdata: y\r\r', [event('x', 'a'), event('y')]],
  ['endings may be mixed', 'data: x\r\n\ndata: y\n\r\n', [event('x'), event('y')]],
  ['a comment says nothing', ': still here\n\ndata: x\n: in between\n\n', [event('x')]],
  ['lines of data are put together', 'data: a\ndata:\ndata: b\n\n', [event('a\n\nb')]],
  ['one blank after the colon is not data', 'data:  x\ndata:y\n\n', [event(' x\ny')]],
  ['a colon in data is data', 'data: {"a": 1}\n\n', [event('{"a": 1}')]],
  ['a byte order mark is skipped', '\uFEFFdata: x\n\n', [event('x')]],
  ['only the first mark is one', 'data: \uFEFFx\n\n', [event('\uFEFFx')]],
  ['something without data is not an event', 'event: a\n\ndata: x\n\n', [event('x')]],
  [
    'an id holds until the next',
    'id: 7\ndata: x\n\ndata: y\n\nid\ndata: z\n\n',
    [event('x', 'message', '7'), event('y', 'message', '7'), event('z')],
  ],
  ['an id with a NUL is none', 'id: 7\0\ndata: x\n\n', [event('x')]],
  ['an event that was not finished is none', 'data: x\n\ndata: y\n', [event('x')]],
  ['unknown fields are skipped', 'retry: 100\nfoo\nfoo: bar\ndata: x\n\n', [event('x')]],
  ['letters of two units stay whole', 'data: 🪵 ü\n\n', [event('🪵 ü')]],
];

describe('whatever the pieces are', () => {
  test.each(cases)('%s', (_, text, expected) => {
    check([text], expected);
    check([...text.split('')], expected);
    for (let at = 0; at <= text.length; at += 1) {
      check([text.slice(0, at), text.slice(at)], expected);
      check([text.slice(0, at), '', text.slice(at)], expected);
    }
  });
});

test('a long line that comes in many pieces is read once', () => {
  const data = 'x'.repeat(1_000_000);
  const text = `data: ${data}\n\n`;
  const pieces = Array.from({ length: 64 }, (_, at) =>
    text.slice((at * text.length) / 64, ((at + 1) * text.length) / 64),
  );
  check(pieces, [event(data)]);
});

function check(pieces: readonly string[], expected: readonly ServerEvent[]) {
  const parser = new EventParser();
  expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(expected);
}
