import { expect, test } from 'vitest';
import type { Message } from '../api/model';
import { examplesFor } from './examples';

const queries = (part: object) =>
  examplesFor({
    message: 'hello logstead',
    host: 'web-1',
    program: 'ana',
    severity_name: 'notice',
    ...part,
  } as Message).map(({ query }) => query);

test('a word, then the fields that the message has', () => {
  expect(queries({})).toEqual(['hello', 'host=web-1', 'program=ana', 'severity=notice']);
  expect(queries({ message: '!', program: '', severity_name: null })).toEqual(['host=web-1']);
  expect(queries({ program: 'a "b"' })).toContain('program="a \\"b\\""');
});
