import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Hits } from '../../ui/highlight';
import { sample } from '../../ui/message/sample';
import { useRowLayout } from './useRowLayout';

const first = Array.from({ length: 20 }, () => sample({ host: 'web-1', program: 'sshd' }));
const common = { host: 'web-1', program: 'sshd' };

function layout(hits: Hits) {
  const { host, program } = renderHook(() => useRowLayout(first, hits, [], common)).result.current;
  return [host.only, program.only];
}

test('a column that all messages share stays in the rows where a word was found in it', () => {
  expect(layout([])).toEqual(['web-1', 'sshd']);
  expect(layout([{ field: null, pattern: /web/gi, color: 0 }])).toEqual([null, 'sshd']);
});

test('what a clause of the field itself asks for is said once', () => {
  expect(layout([{ field: 'host', pattern: /web/gi, color: 0 }])).toEqual(['web-1', 'sshd']);
});
