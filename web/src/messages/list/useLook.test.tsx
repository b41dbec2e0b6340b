import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Hits } from '../../ui/highlight';
import { sample } from '../../ui/message/sample';
import { useLook } from './useLook';

const first = Array.from({ length: 20 }, () => sample({ host: 'web-1', program: 'sshd' }));
const common = { host: 'web-1', program: 'sshd' };

function look(hits: Hits) {
  const { host, program } = renderHook(() => useLook(first, hits, [], common)).result.current;
  return [host.only, program.only];
}

test('a column that all messages share stays in the rows where a word was found in it', () => {
  expect(look([])).toEqual(['web-1', 'sshd']);
  expect(look([{ field: null, pattern: /web/gi, color: 0 }])).toEqual([null, 'sshd']);
});

test('what a clause of the field itself asks for is said once', () => {
  expect(look([{ field: 'host', pattern: /web/gi, color: 0 }])).toEqual(['web-1', 'sshd']);
});
