import { expect, test } from 'vitest';
import { hitsOf } from '../ui/highlight';
import { mark, marksFor } from './marks';

test('what the query found and what the reader wants are told apart', () => {
  check('Failed password for ana', 'failed', ['ana'], '[hit:Failed] password for [0:ana]');
  check('Failed password', 'failed', ['failed'], '[0:Failed] password');
  check('nothing here', 'failed', ['ana'], 'nothing here');
  check('', '', ['a'], '');
});

test('texts are meant as they are written, in any case', () => {
  check('a.b axb (A.B)', '', ['a.b'], '[0:a.b] axb ([0:A.B])');
  check('cost: $5 [x]', '', ['$5', '[x]'], 'cost: [0:$5] [1:[x]]');
});

test('the longer text wins', () => {
  check('error 42, error 7', '', ['error', 'error 42'], '[1:error 42], [0:error] 7');
});

function check(text: string, query: string, highlights: string[], expected: string) {
  const pieces = mark(text, marksFor(hitsOf(query), highlights));
  const shown = pieces.map(({ text, tone }) => (tone === null ? text : `[${tone}:${text}]`));
  expect(shown.join('')).toBe(expected);
}
