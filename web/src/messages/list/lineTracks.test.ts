import { expect, test } from 'vitest';
import { plainLayout } from '../../ui/message/rowLayout';
import { lineTracks } from './lineOrder';

const layout = { ...plainLayout, host: { ch: 20, only: null }, program: { ch: 9, only: null } };

test('columns are as wide as what is in them, and give way where there is little room', () => {
  expect(lineTracks(layout, 'wide')).toBe('20ch 9ch minmax(0, 1fr)');
  expect(lineTracks(layout, 'compact')).toBe('12ch 9ch minmax(0, 1fr)');
});

test('what stands in the head has no column, and logspaces have one where there are several', () => {
  const folded = { ...layout, host: { ch: 4, only: 'a' }, logspace: { ch: 8, only: null } };
  expect(lineTracks(folded, 'wide')).toBe('9ch minmax(0, 1fr) 11ch');
});
