import { expect, test } from 'vitest';
import { indented, payloadOf } from './payload';

test('an object is shown line by line, with the digits that it was sent with', () => {
  const json =
    '@cee: {"a":12345678901234567890,"b":{"c":[1,"x, {y}: \\"z\\""],"d":{}, "e":[]},"f":null}';
  expect(indented(json).split('\n')).toEqual([
    '{',
    '  "a": 12345678901234567890,',
    '  "b": {',
    '    "c": [',
    '      1,',
    '      "x, {y}: \\"z\\""',
    '    ],',
    '    "d": {},',
    '    "e": []',
    '  },',
    '  "f": null',
    '}',
  ]);
  expect(JSON.parse(indented('{"a":[{},[[]],{"b":"\\\\"}]}'))).toEqual({
    a: [{}, [[]], { b: '\\' }],
  });
});

test('a stack trace is unfolded, also one whose ends of lines were escaped, or that is in an object', () => {
  const lines = ['boom', '\tat a.B.c(B.java:1)', '\tat d'];
  expect(payloadOf(lines.join('\n'))).toMatchObject({ kind: 'trace', text: lines.join('\n') });
  expect(payloadOf('boom\\n\\tat a.B.c(B.java:1)\\n\\tat d')).toMatchObject({
    kind: 'trace',
    text: lines.join('\n'),
  });
  expect(payloadOf(JSON.stringify({ msg: 'm', stack: lines.join('\n') }))).toMatchObject({
    kind: 'json',
    trace: lines.join('\n'),
  });
  expect(payloadOf('Traceback\n  File "a.py", line 1\n    x()').kind).toBe('trace');
});

test('pairs are told from text, which is left as it is', () => {
  expect(payloadOf('level=info msg="a b" n=1')).toMatchObject({
    kind: 'pairs',
    pairs: [{ key: 'level' }, { key: 'msg', value: 'a b' }, { key: 'n' }],
  });
  expect(payloadOf('C:\\new\\table at noon')).toMatchObject({
    kind: 'text',
    text: 'C:\\new\\table at noon',
  });
  expect(payloadOf(`{"a":"${'x'.repeat(70_000)}"}`).kind).toBe('text');
});

/** The least time of a few readings, because others may need the processor meanwhile. */
function leastTime(text: string): number {
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    payloadOf(text);
    return performance.now() - began;
  });
  return Math.min(...times);
}

// The most that four times the length may take. Lists in lists are indented, so what is shown grows with the square; its
// memory has to be found, too.
const hostile: [name: string, text: (size: number) => string, times: number][] = [
  ['lists in lists', (size) => `{"a":${'['.repeat(size / 20)}${']'.repeat(size / 20)}}`, 60],
  ['backslashes', (size) => `{"a":"${'\\\\'.repeat(size / 4)}"}`, 8],
  ['escaped breaks', (size) => '\\n\\t'.repeat(size / 4), 8],
  ['breaks and spaces', (size) => '\n    '.repeat(size / 5), 8],
  ['breaks', (size) => '\n'.repeat(size), 8],
];

test.each(hostile)('%s take time for what is shown of them only', (_, text, times) => {
  expect(leastTime(text(60_000))).toBeLessThan(times * leastTime(text(15_000)) + 5);
});
