import { expect, test } from 'vitest';
import { hitPattern, markHits } from './highlight';

/** The hits in `text`, in brackets. */
function check(query: string, text: string, marked: string) {
  const pieces = markHits(text, hitPattern(query));
  expect(pieces.map((piece) => (piece.hit ? `[${piece.text}]` : piece.text)).join('')).toBe(marked);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
}

test('words are marked whole and in any case', () => {
  check('error', 'Error: error_count, errors', '[Error]: [error]_count, errors');
  check('größe', 'Größe größer', '[Größe] größer');
});

test('phrases are marked as one', () => {
  check('"session opened"', 'session opened for session', '[session opened] for session');
  check('"say \\"hi\\""', 'they say "hi" twice', 'they [say "hi"] twice');
});

test('wildcards stay within a word', () => {
  check('conn*', 'a connection to x', 'a [connection] to x');
  check('*nection', 'connection', '[connection]');
  check('us?r', 'user usr', '[user] usr');
});

test('operators, negations, fields and regexes mark nothing', () => {
  for (const query of ['', '*', 'host:web', 'a=b', '-error', 'not error', '!"x y"', '/err.*/']) {
    expect(hitPattern(query), query).toBeNull();
  }
  check('failed and not password or (root)', 'failed password root', '[failed] password [root]');
});

test('pasted log text is not taken for syntax', () => {
  check('%ASA-4-106023:', '%ASA-4-106023: Deny', '[%ASA-4-106023:] Deny');
  check('10.0.0.1', '10.0.0.1 10x0y0z1 110.0.0.1', '[10.0.0.1] 10x0y0z1 110.0.0.1');
  check('http://x/y', 'GET http://x/y', 'GET [http://x/y]');
  check('[1] $x (a{2})', 'a [1] $x a{2}', 'a [[1]] [$x] [a{2}]');
});
