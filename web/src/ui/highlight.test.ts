import { expect, test } from 'vitest';
import { termsOf } from '../test-corpus';
import { HIT_COLORS, hasHit, hitsIn, hitsOf, markHits } from './highlight';

/** The hits in a field's text, in brackets. */
function check(query: string, text: string, marked: string, field = 'message') {
  const pieces = markHits(text, hitsIn(hitsOf(termsOf(query)), field));
  const shown = pieces.map((piece) => (piece.color === null ? piece.text : `[${piece.text}]`));
  expect(shown.join(''), query).toBe(marked);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
}

test('words are marked whole and in any case', () => {
  check('error', 'Error: error_count, errors', '[Error]: [error]_count, errors');
  check('größe', 'Größe größer', '[Größe] größer');
});

test('phrases are marked as one', () => {
  check('"session opened"', 'session opened for session', '[session opened] for session');
  check('"say \\"hi\\""', 'they say "hi" twice', 'they [say "hi"] twice');
  check('cs"Error"', 'Error error', '[Error] error');
  check('"foo ba"*', 'foo bar', '[foo bar]');
});

test('wildcards stay within a word', () => {
  check('conn*', 'a connection to x', 'a [connection] to x');
  check('*nection', 'connection', '[connection]');
  check('us?r', 'user usr', '[user] usr');
  check('100\\*', '100* 1000', '[100*] 1000');
  check('*', 'all', 'all');
});

test('a regular expression is marked where the browser can follow it', () => {
  check('/us[a-z]r/', 'user User', '[user] User');
  check('/us[a-z]r/i', 'user User', '[user] [User]');
  check('/(?i)user/', 'User', '[User]');
  check('/port (?P<port>\\d+)/', 'port 22', '[port 22]');
  check('message:/a\\/b/', 'a/b', '[a/b]');
  expect(hitsOf([{ regex: '(?-u:\\xff)', case_sensitive: true }])).toEqual([]);
});

test('an expression that a browser could hang on marks nothing', () => {
  for (const query of ['/(a+)+$/', '/(a|a)*b/', '/((a+)b)+/', '/a*a*a*a*a*a*a*b/', 'x*x*x*x*x*x']) {
    expect(hitsOf(termsOf(query)), query).toEqual([]);
  }
});

test('a text of a field is marked in that field only', () => {
  check('host:web', 'web', '[web]', 'host');
  check('host:web', 'web', 'web');
  check('hostname:web*', 'web-1', '[web-1]', 'host');
  check('msg:failed', 'failed', '[failed]');
  check('user=root', 'root', '[root]', 'user');
  check('"odd name":root', 'root', '[root]', 'odd name');
  check('path="C:\\temp"', 'C:\\temp\\x', '[C:\\temp]\\x', 'path');
  check('src:10.0.0.1', '10.0.0.1', '[10.0.0.1]', 'src');
});

test('a text without a field is marked where it is looked for', () => {
  check('web', 'web', '[web]', 'host');
  check('web', 'web', '[web]', 'program');
  check('web', 'web', '[web]', 'url');
  check('web', 'web', 'web', 'source');
});

test('negations, comparisons by size and keywords mark nothing', () => {
  for (const query of [
    '',
    '*',
    '-error',
    'not error',
    '!"x y"',
    'a!=b',
    'n>5',
    'n:>=5',
    '-(a b)',
  ]) {
    expect(hitsOf(termsOf(query)), query).toEqual([]);
  }
  check('failed and not password or (root)', 'failed password root', '[failed] password [root]');
  check('-(failed or root) port', 'failed root port', 'failed root [port]');
});

test('what is said of a group is said of its members', () => {
  check('action:(deny OR drop)', 'deny drop', '[deny] [drop]', 'action');
  check('action in (deny, drop)', 'deny drop', '[deny] [drop]', 'action');
  check('action:(deny OR drop)', 'deny', 'deny');
});

test('pasted log text is not taken for syntax', () => {
  check('%ASA-4-106023:', '%ASA-4-106023: Deny', '[%ASA-4-106023:] Deny');
  check('10.0.0.1', '10.0.0.1 10x0y0z1 110.0.0.1', '[10.0.0.1] 10x0y0z1 110.0.0.1');
  check('http://x/y', 'GET http://x/y', 'GET [http://x/y]');
  check('foo(bar)', 'call foo(bar) now', 'call [foo(bar)] now');
});

test('stages mark nothing', () => {
  check('failed | top 5 user', 'failed top user', '[failed] top user');
});

test('every term has its colour, in the order of the query', () => {
  const colors = (query: string) => hitsOf(termsOf(query)).map(({ color }) => color);
  expect(colors('a b a c')).toEqual([0, 1, 2]);
  expect(colors('a b c d e f')).toEqual([0, 1, 2, 3, 4, 5 % HIT_COLORS]);
});

test('the longer of two hits at one place wins', () => {
  check('error error*', 'errors', '[errors]');
  check('"a b" b', 'a b b', '[a b] [b]');
});

test('whether a text has a hit does not depend on what was asked before', () => {
  const hits = hitsOf(termsOf('web'));
  expect([hasHit('a web', hits), hasHit('a web', hits), hasHit('a', hits)]).toEqual([
    true,
    true,
    false,
  ]);
});
