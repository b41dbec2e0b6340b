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

test('hostile texts are read quickly', () => {
  const began = performance.now();
  for (const text of [
    `{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
    `{"a":"${'\\\\'.repeat(15_000)}"}`,
    '\\n\\t'.repeat(15_000),
    '\n    '.repeat(12_000),
    '\n'.repeat(60_000),
  ]) {
    payloadOf(text);
  }
  expect(performance.now() - began).toBeLessThan(500);
});
