import { expect, test } from 'vitest';
import { termsOf } from '../test-corpus';
import { hitsOf, markHits } from '../ui/highlight';
import { marksFor } from './marks';

test('what the query found and what the reader wants are told apart', () => {
  check(
    'Failed password for ana',
    'failed password',
    ['ana'],
    '[0:Failed] [0:password] for [1:ana]',
  );
  check('Failed password', 'failed', ['failed'], '[1:Failed] password');
  check('nothing here', 'failed', ['ana'], 'nothing here');
  check('', '', ['a'], '');
});

test('texts are meant as they are written, in any case', () => {
  check('a.b axb (A.B)', '', ['a.b'], '[1:a.b] axb ([1:A.B])');
  check('cost: $5 [x]', '', ['$5', '[x]'], 'cost: [1:$5] [2:[x]]');
});

test('the longer text wins', () => {
  check('error 42, error 7', '', ['error', 'error 42'], '[2:error 42], [1:error] 7');
});

function check(text: string, query: string, highlights: string[], expected: string) {
  const pieces = markHits(text, marksFor(hitsOf(termsOf(query)), highlights));
  const shown = pieces.map(({ text, color }) => (color === null ? text : `[${color}:${text}]`));
  expect(shown.join('')).toBe(expected);
}
