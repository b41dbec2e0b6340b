import { expect, test } from 'vitest';
import { type TimeRange, initialRange } from '../../ui/range';
import { readSearch } from '../searchParams';
import { frozen, moves, searchLink } from './link';
import { curlOf, exportCommand, exportCurl, shellQuoted } from './shell';

const now = Date.parse('2026-01-02T12:00:00Z');
const initial = readSearch({});
const server = 'https://logs.example';

function checkFrozen(range: TimeRange, from: string | null, to: string) {
  expect(frozen(range, now)).toEqual({ kind: 'between', from, to });
}

test('a relative range is held fast at the moments that it means now', () => {
  checkFrozen({ kind: 'last', span: '6h' }, '2026-01-02T06:00:00.000Z', '2026-01-02T12:00:00.000Z');
  checkFrozen({ kind: 'all' }, null, '2026-01-02T12:00:00.000Z');
  checkFrozen(
    { kind: 'between', from: 'now-2d', to: '-1h' },
    '2025-12-31T12:00:00.000Z',
    '2026-01-02T11:00:00.000Z',
  );
  checkFrozen(
    { kind: 'between', from: '2026-01-01', to: null },
    '2026-01-01',
    '2026-01-02T12:00:00.000Z',
  );
});

test('what only the server can read is not guessed', () => {
  expect(frozen({ kind: 'between', from: 'yesterday', to: null }, now)).toBeNull();
  expect(frozen({ kind: 'last', span: 'soon' }, now)).toBeNull();
});

test('a range moves unless both of its ends are moments', () => {
  const cases: [TimeRange, boolean][] = [
    [initialRange, true],
    [{ kind: 'all' }, true],
    [{ kind: 'between', from: '2026-01-01', to: null }, true],
    [{ kind: 'between', from: 'now-1h', to: '2026-01-01' }, true],
    [{ kind: 'between', from: null, to: '2026-01-01T00:00:00Z' }, false],
  ];
  for (const [range, expected] of cases) expect(moves(range)).toBe(expected);
});

test('a link opens the same search, with the open message if it is to', () => {
  const state = { ...initial, query: 'a & b=ü', open: 'main:42', marks: ['main:1'] };
  const read = (link: string) => readSearch(Object.fromEntries(new URL(link).searchParams));
  expect(read(searchLink(server, state, true))).toEqual({ ...state, marks: [] });
  expect(read(searchLink(server, state, false))).toEqual({ ...state, marks: [], open: null });
  expect(searchLink(server, initial, true)).toBe(`${server}/search`);
});

test('an argument stays one argument, whatever is in it', () => {
  const cases: [string, string][] = [
    ['error', 'error'],
    ['', "''"],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
    ['$(reboot)`x`', "'$(reboot)`x`'"],
    ['a\nb', "'a\nb'"],
    ['=ls', "'=ls'"],
    ['*', "'*'"],
    ['~root', "'~root'"],
  ];
  for (const [text, quoted] of cases) expect(shellQuoted(text)).toBe(quoted);
});

test('a command asks what the page asks', () => {
  const state = readSearch({ q: `user:"o'x" | top 3 host`, from: '-6h', logspace: 'main,dmz' });
  expect(curlOf(server, 'aggregate', state, false)).toBe(
    [
      'curl -sS --fail-with-body https://logs.example/api/v1/aggregate',
      '-H "Authorization: Bearer $LOGSTEAD_TOKEN"',
      "-H 'Content-Type: application/json'",
      `-d '{"query":"user:\\"o'\\''x\\" | top 3 host","from":"-6h","timezone":"Europe/Vienna","logspaces":["main","dmz"]}'`,
    ].join(' \\\n  '),
  );
  expect(curlOf(server, 'count', state, false)).toContain(`"query":"user:\\"o'\\''x\\"","from"`);
});

test('commands for an export carry what was chosen', () => {
  const state = readSearch({ q: '-user=root', from: 'all' });
  const columns = ['time', 'user id'];
  const choice = { format: 'csv', order: 'oldest', columns, copies: true } as const;
  expect(exportCurl(server, state, choice, false).split(' \\\n  ').slice(2)).toEqual([
    '--data-urlencode query=-user=root',
    '--data-urlencode timezone=Europe/Vienna',
    '--data-urlencode format=csv',
    '--data-urlencode copies=all',
    '--data-urlencode order=oldest',
    "--data-urlencode 'columns=time,user id'",
    '--output logstead.csv',
  ]);
  expect(exportCommand(server, state, choice, false).split(' \\\n  ')).toEqual([
    'logstead export',
    '--copies all',
    '--format csv --output logstead.csv',
    '--server https://logs.example',
    '-- -user=root',
  ]);
});

test('a query that cannot be parsed is asked for as a text, as the page does', () => {
  const state = readSearch({ q: '(open', from: 'all' });
  for (const endpoint of ['search', 'count', 'histogram', 'aggregate'] as const) {
    expect(curlOf(server, endpoint, state, true)).toContain('"unparsed":"text"}');
    expect(curlOf(server, endpoint, state, false)).not.toContain('unparsed');
  }
  expect(curlOf(server, 'export', state, true)).toContain('--data-urlencode unparsed=text \\\n');
  expect(curlOf(server, 'export', state, false)).not.toContain('unparsed');
  const choice = { format: 'raw', order: 'newest', columns: [], copies: false } as const;
  expect(exportCommand(server, state, choice, true)).toContain('--as-text');
  expect(exportCommand(server, state, choice, false)).not.toContain('--as-text');
});
