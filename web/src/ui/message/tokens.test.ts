import { expect, test } from 'vitest';
import { withoutAnsi } from './text';
import { tokensOf } from './tokens';

const marked = (text: string) =>
  tokensOf(text)
    .map(({ text: part, kind }) => (kind === null ? part : `[${kind[0]} ${part}]`))
    .join('');

test('numbers, addresses and paths are told from words', () => {
  for (const [text, expected] of [
    ['no such thing', 'no such thing'],
    ['from 185.220.101.34 port 52114 ssh2', 'from [a 185.220.101.34] port [n 52114] ssh2'],
    ['10.1.8.20:22 and fe80:0:0:1::2', '[a 10.1.8.20:22] and [a fe80:0:0:1::2]'],
    ['GET /api/v1/pay?x=1 in 3.6s', 'GET [p /api/v1/pay]?x=[n 1] in [n 3.6s]'],
    ['web-1 v2.3 x86_64 12ab', 'web-1 v2.3 x86_64 12ab'],
    ['(110) 97%, -4', '([n 110]) [n 97%], [n -4]'],
    ['2026-11-22 14:39:57', '2026-11-22 14:39:57'],
    ['', ''],
  ] as const) {
    expect(marked(text), text).toBe(expected);
  }
});

test('a text of thousands of numbers is cheap', () => {
  const tokens = tokensOf('1 /a/b 1.2.3.4 '.repeat(5_000));
  expect(tokens.length).toBeLessThan(20);
  expect(tokens.map(({ text }) => text).join('')).toHaveLength(75_000);
});

test('the colours of a terminal are taken out, what only looks like them is not', () => {
  expect(withoutAnsi('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x')).toBe('red x');
  expect(withoutAnsi('\u001b and [31m')).toBe('\u001b and [31m');
});
