import { expect, test } from 'vitest';
import { sample } from '../ui/message/sample';
import type { Line } from './buffer';
import { widthsOf } from './columns';

function lines(hosts: string[], part = {}): Line[] {
  return hosts.map((host, key) => ({
    key,
    kind: 'message',
    message: sample({ host, program: 'app', pid: '', ...part }),
  }));
}

test('a column is as wide as nine of ten values need', () => {
  const hosts = Array.from({ length: 20 }, (_, at) => (at === 0 ? 'x'.repeat(60) : 'web-000001'));
  expect(widthsOf(lines(hosts)).host).toBe(10);
});

test('neither so narrow that nothing is read nor so wide that the text has no room', () => {
  expect(widthsOf(lines(['a']))).toEqual({ host: 7, program: 7 });
  expect(widthsOf(lines(['x'.repeat(60)])).host).toBe(22);
  expect(widthsOf([])).toEqual({ host: 7, program: 7 });
});

test('the number of the process belongs to the program', () => {
  expect(widthsOf(lines(['a'], { program: 'postgres', pid: '123' })).program).toBe(13);
});
