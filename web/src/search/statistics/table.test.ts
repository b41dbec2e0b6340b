import { expect, test } from 'vitest';
import { nextOrder, sorted } from './order';
import type { Cell, Column, Table } from './queries';
import { toCsv, toMarkdown } from './tableText';
import { columnWidths } from './widths';

const host: Column = { name: 'host', kind: 'text' };
const count: Column = { name: 'count', kind: 'number' };
const severity: Column = { name: 'severity', kind: 'severity' };

function checkOrder(column: Column, values: Cell[], descending: boolean, expected: Cell[]) {
  const rows = sorted(
    values.map((value) => [value]),
    [column],
    { column: 0, descending },
  );
  expect(rows.map(([value]) => value)).toEqual(expected);
}

test('rows are ordered as their values mean, those without one last', () => {
  checkOrder(count, [2, null, 10, 1], false, [1, 2, 10, null]);
  checkOrder(count, [2, null, 10, 1], true, [10, 2, 1, null]);
  checkOrder(host, ['fw10', 'fw9', null, 'db'], false, ['db', 'fw9', 'fw10', null]);
  checkOrder(severity, ['err', 'debug', 'crit'], true, ['crit', 'err', 'debug']);
  checkOrder(count, ['text', 3], false, [3, 'text']);
});

test('a head begins with what is looked for, turns around and lets go', () => {
  const first = nextOrder(null, 1, count);
  const second = nextOrder(first, 1, count);
  expect(first).toEqual({ column: 1, descending: true });
  expect(second).toEqual({ column: 1, descending: false });
  expect(nextOrder(second, 1, count)).toBeNull();
  expect(nextOrder(first, 0, host)).toEqual({ column: 0, descending: false });
});

const table: Table = {
  columns: [host, count],
  rows: [
    ['a,"b"\nc|d', 1.5],
    [null, 1234567],
  ],
};

test('a copy for a spreadsheet is quoted and exact', () => {
  expect(toCsv(table)).toBe('host,count\r\n"a,""b""\nc|d",1.5\r\n,1234567\r\n');
});

test('a copy for a ticket stays a table, whatever its values hold', () => {
  expect(toMarkdown(table)).toBe(
    '| host | count |\n| --- | ---: |\n| a,"b" c\\|d | 1.5 |\n|  | 1234567 |\n',
  );
});

test('a very long value does not push the other columns away', () => {
  const wide: Table = { columns: [host], rows: [['x'.repeat(1_500_000)]] };
  expect(columnWidths(wide, (cell) => String(cell))[0]).toBeLessThan(480);
});
