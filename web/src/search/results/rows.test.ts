import { expect, test } from 'vitest';
import { sample } from '../../ui/message/sample';
import { dayShown, findFrom, placeOf, rowAt, rowsOf } from './rows';

const at = (times: string[]) => times.map((time) => sample({ time: `2026-01-${time}:00Z` }));

/** The rows as text: days as they are, messages by their index. */
function check(times: string[], expected: string[]) {
  const rows = rowsOf(at(times), 'utc');
  const shown = Array.from({ length: rows.count }, (_, place) => {
    const row = rowAt(rows, place);
    return row.kind === 'day' ? row.day.slice(8) : `#${row.index}`;
  });
  expect(shown).toEqual(expected);
  times.forEach((_, index) =>
    expect(rowAt(rows, placeOf(rows, index))).toEqual({ kind: 'message', index }),
  );
}

test('a line stands wherever another day begins', () => {
  check([], []);
  check(['03T10:00', '03T09:00'], ['#0', '#1']);
  check(['03T10:00', '02T09:00', '02T08:00', '01T08:00'], ['#0', '02', '#1', '#2', '01', '#3']);
});

test('days of many messages are cut at the right place', () => {
  for (const [newer, older] of [
    [1, 1],
    [7, 9],
    [1000, 3],
    [64, 64],
  ] as const) {
    const times = [
      ...Array<string>(newer).fill('03T10:00'),
      ...Array<string>(older).fill('02T10:00'),
    ];
    expect(rowsOf(at(times), 'utc').starts).toEqual([newer]);
  }
});

test('each row knows its day', () => {
  const rows = rowsOf(at(['03T10:00', '02T09:00', '01T08:00']), 'utc');
  const days = [0, 1, 2, 3, 4].map((place) => dayShown(rows, place).slice(8));
  expect(days).toEqual(['03', '02', '02', '01', '01']);
});

test('the next message that passes is found in both directions', () => {
  const messages = [3, 6, 6, 2].map((severity) => sample({ severity }));
  const isError = ({ severity }: { severity: number | null }) => severity !== null && severity <= 3;
  expect(findFrom(messages, 0, 1, isError)).toBe(3);
  expect(findFrom(messages, 3, -1, isError)).toBe(0);
  expect(findFrom(messages, 3, 1, isError)).toBeNull();
  expect(findFrom(messages, -1, 1, isError)).toBe(0);
});
