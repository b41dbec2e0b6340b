import { expect, test } from 'vitest';
import type { TimeRange } from '../../ui/range';
import { titleOf } from './title';

const day: TimeRange = { kind: 'last', span: '24h' };

test('a tab is called by its query and range', () => {
  expect(titleOf('failed root', day, 'utc')).toBe('failed root · 24 h · Logstead');
  expect(titleOf('', { kind: 'all' }, 'utc')).toBe('Search · All time · Logstead');
  expect(titleOf('*', { kind: 'last', span: '15m' }, 'utc')).toBe(
    'All messages · 15 min · Logstead',
  );
});

test('a query of many lines is one line, and a long one is cut', () => {
  expect(titleOf('a\n| top 5 host', day, 'utc')).toBe('a | top 5 host · 24 h · Logstead');
  expect(titleOf('x'.repeat(500), day, 'utc')).toBe(`${'x'.repeat(59)}… · 24 h · Logstead`);
});
