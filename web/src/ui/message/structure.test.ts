import { expect, test } from 'vitest';
import { readStructure } from './structure';

const read = (text: string) => {
  const found = readStructure(text);
  return found && [found.title, found.pairs.map(({ key, value }) => `${key}=${value}`).join(' ')];
};

test('an object says what happened, and its parts have names with dots', () => {
  expect(read('{"level":"info","msg":"paid","status":502,"pod":{"name":"a","up":true}}')).toEqual([
    'paid',
    'level=info msg=paid status=502 pod.name=a pod.up=true',
  ]);
  expect(read('@cee: {"message":"x","list":[1,2],"none":null}')?.[1]).toBe(
    'message=x list=[1,2] none=null',
  );
});

test('a list of pairs says what happened in its words, in a value, or by what was done', () => {
  expect(read('payment declined status=502 took=3.6s path="/a b"')).toEqual([
    'payment declined',
    'status=502 took=3.6s path=/a b',
  ]);
  expect(read('level=info msg="say \\"hi\\"" n=1')?.[0]).toBe('say "hi"');
  expect(
    read('date=2026-11-22 time=14:39:57 action="deny" service="tcp/22" srcip=1.2.3.4'),
  ).toEqual([
    'deny tcp/22',
    'date=2026-11-22 time=14:39:57 action=deny service=tcp/22 srcip=1.2.3.4',
  ]);
});

test('what only has a pair or two in a sentence is a sentence', () => {
  for (const text of [
    'Accepted key for ana',
    'a=1',
    'authentication failure; logname= uid=0 for a user who is long in words and short in pairs',
    'url=/x?a=1 and so on, which is nothing like a list of pairs of key and value',
    '{"cut": "off',
    '[1, 2]',
    '{}x',
    '',
  ]) {
    expect(read(text), text).toBeNull();
  }
});

test('hostile texts are read quickly or not at all', () => {
  const began = performance.now();
  for (const text of [
    'a='.repeat(8_000),
    `${'a'.repeat(16_000)}=`,
    `k="${'\\"'.repeat(8_000)}`,
    `${'x '.repeat(8_000)}a=1 b=2`,
    `{"a":${'['.repeat(30_000)}`,
    `{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
    `{${Array.from({ length: 6_000 }, (_, n) => `"k${n}":1`).join()}}`,
    ' '.repeat(16_000) + '=',
    '='.repeat(60_000),
  ]) {
    expect(readStructure(text)?.pairs.length ?? 0).toBeLessThanOrEqual(100);
  }
  expect(performance.now() - began).toBeLessThan(400);
  expect(readStructure('{"__proto__":{"polluted":1},"msg":"m"}')?.title).toBe('m');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
