import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { sample } from '../ui/message/sample';
import type { Line } from './buffer';
import { useLook } from './useLook';

test('a tail keeps its columns of host and program: of what comes next nothing is known', () => {
  const lines = Array.from({ length: 20 }, (_, key): Line => ({
    key,
    kind: 'message',
    message: sample({ host: 'web-1' }),
  }));
  const { result } = renderHook(() => useLook(lines, [], []));
  expect(result.current.host.only).toBeNull();
  expect(result.current.program.only).toBeNull();
});
