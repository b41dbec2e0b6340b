import { expect, test } from 'vitest';
import { messagesOf, narrowed } from './drill';
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
  const found = messagesOf(query, table, shape, row, shape.groups, spanOf(query));
  expect(found).toEqual(expected);
}

test('a row leads to the messages that it counts', () => {
  checkMessages('error | stats count() by host', byHost, ['fw-1', 3], { query: 'error host=fw-1' });
  checkMessages('* | stats count() by host', byHost, ['a b', 3], { query: 'host="a b"' });
});

test('a row without a value leads to the messages without one', () => {
  checkMessages('a OR b | stats count() by host', byHost, [null, 3], { query: '(a OR b) -host:*' });
});

test('conditions of the stages go along', () => {
  checkMessages('x | where pid>5 | stats count() by host', byHost, ['fw', 3], {
    query: 'x pid>5 host=fw',
  });
  const query = 'x | where a or b | stats count() by host';
  const shape = shapeOf(byHost, query);
  expect(messagesOf(query, byHost, shape, ['fw', 3], shape.groups, null)?.query).toContain(
    'x (a or b)',
  );
});

test('a span of time becomes the range', () => {
  const query = '* | timechart span=5m count() by severity';
  checkMessages(query, overTime, ['2026-11-21T15:00:00Z', 'err', 9], {
    query: 'severity=err',
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
  const query = 'error | stats count() by host | sort -count';
  const place = { row: ['fw-1', 3], column: 0 };
  expect(narrowed(query, byHost, place, false)?.query).toBe(
    'error host=fw-1 | stats count() by host | sort -count',
  );
  expect(narrowed(query, byHost, place, true)?.query).toBe(
    'error -host=fw-1 | stats count() by host | sort -count',
  );
});
