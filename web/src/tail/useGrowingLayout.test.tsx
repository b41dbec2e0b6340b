import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { sample } from '../ui/message/sample';
import type { Line } from './buffer';
import { type RowLayout, plainLayout } from '../ui/message/rowLayout';
import { grown, useGrowingLayout } from './Stream';

test('a tail keeps its columns of host and program: of what comes next nothing is known', () => {
  const lines = Array.from({ length: 20 }, (_, key): Line => ({
    key,
    kind: 'message',
    message: sample({ host: 'web-1' }),
  }));
  const { result } = renderHook(() => useGrowingLayout(lines, [], []));
  expect(result.current.host.only).toBeNull();
  expect(result.current.program.only).toBeNull();
});

const layout = (host: RowLayout['host']): RowLayout => ({ ...plainLayout, host });

test('columns become wider, never narrower', () => {
  const first = layout({ ch: 8, only: null });
  expect(grown(first, layout({ ch: 12, only: null })).host.ch).toBe(12);
  expect(grown(first, layout({ ch: 5, only: null })).host.ch).toBe(8);
  expect(grown(null, first)).toBe(first);
});

test('a column that came because values differed stays, and one that all share goes on as it was', () => {
  const one = layout({ ch: 4, only: 'web' });
  const many = layout({ ch: 4, only: null });
  expect(grown(one, one).host.only).toBe('web');
  expect(grown(one, many).host.only).toBeNull();
  expect(grown(many, one).host.only).toBeNull();
  expect(grown(one, layout({ ch: 4, only: 'db' })).host.only).toBeNull();
});

test('the column of logspaces comes with a second one, and stays', () => {
  const column = { ch: 8, only: null };
  const two = { ...plainLayout, logspace: column };
  expect(grown(plainLayout, two).logspace).toEqual(column);
  expect(grown(two, plainLayout).logspace).toEqual(column);
});
