import { expect, test } from 'vitest';
import { COLUMN_PX_MIN, moved, toggled, tracks, widthOf, withWidth, withoutWidth } from './columns';

const columns = ['host', 'program', 'message'];

test('a column moves to a place, and nowhere else', () => {
  expect(moved(columns, 'program', 0)).toEqual(['program', 'host', 'message']);
  expect(moved(columns, 'host', 2)).toEqual(['program', 'message', 'host']);
  expect(moved(columns, 'host', -1)).toEqual(columns);
  expect(moved(columns, 'message', 3)).toEqual(columns);
  expect(moved(columns, 'none', 0)).toEqual(columns);
});

test('a new column stands before the text', () => {
  expect(toggled(columns, 'user')).toEqual(['host', 'program', 'user', 'message']);
  expect(toggled(columns, 'host')).toEqual(['program', 'message']);
  expect(toggled(['host'], 'user')).toEqual(['host', 'user']);
});

test('the text takes the room that is left, else the last column does', () => {
  expect(tracks(columns, {})).toBe('144px 176px minmax(480px, 1fr)');
  expect(tracks(['user', 'host'], { user: 90 })).toBe('90px minmax(144px, 1fr)');
  expect(tracks([], {})).toBe('');
});

test('a width stays within bounds and can be forgotten', () => {
  const widths = withWidth({}, 'host', 3);
  expect(widthOf('host', widths)).toBe(COLUMN_PX_MIN);
  expect(widthOf('host', withoutWidth(widths, 'host'))).toBe(144);
});
