import { expect, test } from 'vitest';
import { valueText } from './view';

const MINUTE = 60_000;
const start = Date.UTC(2026, 0, 2, 3, 0);
const layer = {
  value: null,
  label: 'all',
  color: '',
  pattern: 'none' as const,
  counts: [3, 5],
  total: 8,
};
const stack = {
  times: [start, start + MINUTE],
  intervalMs: MINUTE,
  layers: [layer],
  totals: [3, 5],
  highest: 5,
};
const events = [{ at: start + MINUTE + 1_500, text: 'Router revision 2 by ana: split logins' }];

test('a bar says what happened in it, with its count', () => {
  const said = (at: number) => valueText({ stack, events, zone: 'utc' }, { at, anchor: at });
  expect(said(0)).toMatch(/3 messages$/);
  expect(said(1)).toMatch(
    /5 messages, 2026-01-02 03:01:01.*: Router revision 2 by ana: split logins$/,
  );
});
