import { expect, test } from 'vitest';
import type { Column, Table } from './queries';
import { readStages, shapeOf, spanOf } from './shape';

type Expected = {
  groups: string[];
  measures: string[];
  additive?: string[];
  searchable?: string[];
  isOrdered?: boolean;
};

function check(query: string, columns: string, expected: Expected) {
  const table: Table = { columns: columns.split('; ').map(columnOf), rows: [] };
  const shape = shapeOf(table, query);
  const names = (places: Iterable<number>) =>
    [...places].map((place) => table.columns[place]?.name ?? '');
  expect({
    groups: names(shape.groups),
    measures: names(shape.measures),
    ...(expected.additive && { additive: names(shape.additive) }),
    ...(expected.searchable && { searchable: names(shape.searchable) }),
    ...('isOrdered' in expected && { isOrdered: shape.isOrdered }),
  }).toEqual(expected);
}

/** `#` marks numbers, `@` times, `!` severities. */
function columnOf(text: string): Column {
  const name = text.replace(/^[#@!]/u, '');
  const kinds = { '#': 'number', '@': 'time', '!': 'severity' } as const;
  const mark = text[0];
  return { name, kind: mark === '#' || mark === '@' || mark === '!' ? kinds[mark] : 'text' };
}

test('the columns after by tell the rows apart, the others are what is known of them', () => {
  check('error | stats count() as hits by host', 'host; #hits', {
    groups: ['host'],
    measures: ['hits'],
    additive: ['hits'],
    searchable: ['host'],
    isOrdered: false,
  });
  check(
    '* | stats count(), avg(took), sum(bytes) by a, b',
    'a; b; #count; #avg(took); #sum(bytes)',
    {
      groups: ['a', 'b'],
      measures: ['count', 'avg(took)', 'sum(bytes)'],
      additive: ['count', 'sum(bytes)'],
    },
  );
  check('* | stats count()', '#count', { groups: [], measures: ['count'] });
});

test('quoted names are names, whatever is in them', () => {
  check('* | stats avg(pid) as "by x" by "odd | by", host', 'odd | by; host; #by x', {
    groups: ['odd | by', 'host'],
    measures: ['by x'],
    additive: [],
  });
});

test('the rows of a timechart are distinguished by their time first', () => {
  check('* | timechart span=5m max(took) by host', '@time; host; #max(took)', {
    groups: ['time', 'host'],
    measures: ['max(took)'],
    searchable: ['time', 'host'],
  });
});

test('top comes in the order of its counts', () => {
  check('* | top 3 program, host by severity', '!severity; program; host; #count', {
    groups: ['severity', 'program', 'host'],
    measures: ['count'],
    additive: ['count'],
    isOrdered: true,
  });
  check('* | stats count() by host | sort -count', 'host; #count', {
    groups: ['host'],
    measures: ['count'],
    isOrdered: true,
  });
});

test('only fields of messages can be searched for', () => {
  check('x | extract "from <ip>" | top 2 ip, host', 'ip; host; #count', {
    groups: ['ip', 'host'],
    measures: ['count'],
    searchable: ['host'],
  });
  check('x | stats count() by host | stats dc(host) by count', '#count; #dc(host)', {
    groups: ['count'],
    measures: ['dc(host)'],
    searchable: [],
  });
});

test('what where says before the table belongs to the messages, what it says after does not', () => {
  check('x | where pid>5 or a:b | stats count() by host | where count>1', 'host; #count', {
    groups: ['host'],
    measures: ['count'],
  });
});

test('stages that only list messages have no groups', () => {
  check('x | fields host, bytes | limit 3', 'host; #bytes', { groups: [], measures: ['bytes'] });
});

test('a pipe in quotes or in an expression ends no stage', () => {
  const stages = readStages('x | where a:"b | c" | parse regex /p | (?<q>\\d+)/ | limit 3');
  expect(stages.map(({ name }) => name)).toEqual(['where', 'parse', 'limit']);
});

test('the span of a timechart is read in milliseconds', () => {
  expect(spanOf('* | timechart span=5m count() by host')).toBe(300_000);
  expect(spanOf('* | timechart span=1d count()')).toBe(86_400_000);
  expect(spanOf('* | timechart count()')).toBeNull();
  expect(spanOf('"timechart span=5m"')).toBeNull();
});
