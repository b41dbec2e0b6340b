import { expect, test } from 'vitest';
import { messagesOf, narrowed, zoomed } from './drill';
import type { Cell, Table } from './queries';
import { shapeOf, spanOf } from './shape';

const byHost: Table = {
  columns: [
    { name: 'host', kind: 'text' },
    { name: 'count', kind: 'number' },
  ],
  rows: [],
};
const overTime: Table = {
  columns: [
    { name: 'time', kind: 'time' },
    { name: 'severity', kind: 'severity' },
    { name: 'count', kind: 'number' },
  ],
  rows: [],
};

function checkMessages(query: string, table: Table, row: Cell[], expected: unknown) {
  const shape = shapeOf(table, query);
  expect(messagesOf(table, shape, row, shape.groups, spanOf(query))).toEqual(expected);
}

test('a row leads to the messages that it counts', () => {
  checkMessages('error | stats count() by host', byHost, ['a b', 3], {
    edits: [{ op: 'messages' }, { op: 'include', field: 'host', value: 'a b' }],
  });
});

test('a row without a value leads to the messages without one', () => {
  checkMessages('a OR b | stats count() by host', byHost, [null, 3], {
    edits: [{ op: 'messages' }, { op: 'include', field: 'host' }],
  });
});

test('a span of time becomes the range, in place of one that the query names', () => {
  const query = '* | timechart span=5m count() by severity';
  checkMessages(query, overTime, ['2026-11-21T15:00:00Z', 'err', 9], {
    edits: [
      { op: 'messages' },
      { op: 'set_range' },
      { op: 'include', field: 'severity', value: 'err' },
    ],
    range: {
      kind: 'between',
      from: '2026-11-21T15:00:00.000Z',
      to: '2026-11-21T15:05:00.000Z',
    },
  });
});

test('what no search can name leads nowhere', () => {
  checkMessages('x | extract "<host2> y" | stats count() by host2', byHost, ['fw', 3], null);
  checkMessages(
    '* | timechart count() by severity',
    overTime,
    ['2026-11-21T15:00:00Z', 'err', 9],
    null,
  );
});

test('a value narrows the table and leaves its stages', () => {
  const place = { row: ['fw-1', 3], column: 0 };
  const clause = { field: 'host', value: 'fw-1' };
  expect(narrowed(byHost, place, false)).toEqual({ edits: [{ op: 'include', ...clause }] });
  expect(narrowed(byHost, place, true)).toEqual({ edits: [{ op: 'exclude', ...clause }] });
});

test('a stretch of time becomes the range of the same table', () => {
  expect(zoomed('2026-11-21T15:00:00Z', 60_000)).toEqual({
    edits: [{ op: 'set_range' }],
    range: {
      kind: 'between',
      from: '2026-11-21T15:00:00.000Z',
      to: '2026-11-21T15:01:00.000Z',
    },
  });
  expect(zoomed(null, 60_000)).toBeNull();
  expect(zoomed('2026-11-21T15:00:00Z', null)).toBeNull();
});
