import { expect, test } from 'vitest';
import { validityOf } from './validity';

const now = Date.parse('2026-06-15T12:00:00Z');
const from = '2026-01-01T00:00:00Z';

test.each([
  ['2027-06-15T12:00:00Z', '365 days left', 'good'],
  ['2026-07-15T12:00:00Z', '30 days left', 'good'],
  ['2026-07-15T11:59:59Z', '29 days left', 'warn'],
  ['2026-06-16T13:00:00Z', '1 day left', 'warn'],
  ['2026-06-15T13:00:00Z', 'less than a day left', 'warn'],
  ['2026-06-15T12:00:00Z', 'expired less than a day ago', 'bad'],
  ['2026-06-10T12:00:00Z', 'expired 5 days ago', 'bad'],
])('one that is good until %s: %s', (until, text, tone) => {
  expect(validityOf({ from, until }, now)).toEqual({ text, tone });
});

test('one that is not good yet says when it will be', () => {
  const until = '2027-01-01T00:00:00Z';
  expect(validityOf({ from: '2026-06-17T12:00:00Z', until }, now)).toEqual({
    text: 'begins in 2 days',
    tone: 'bad',
  });
});
