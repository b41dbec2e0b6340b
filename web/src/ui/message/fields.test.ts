import { expect, test } from 'vitest';
import { arranged, fieldGroups, ownFieldNames, valuesOf } from './fields';
import { sample } from './sample';

test('the fields of a message come in groups, without those it lacks', () => {
  const message = sample({
    fields: { user: 'ana', ip: ['10.0.0.1', '10.0.0.2'] },
    flags: ['truncated'],
  });
  const groups = fieldGroups(message).map(({ title, rows }) => [
    title,
    rows.map(({ field }) => field),
  ]);
  expect(groups).toEqual([
    ['Fields of the message', ['user', 'ip', 'ip']],
    ['Syslog header', ['time', 'host', 'program', 'pid', 'severity', 'facility']],
    ['Reception', ['received', 'source', 'peer', 'logspace', 'id', 'flag']],
  ]);
  expect(fieldGroups(sample())[0]?.title).toBe('Syslog header');
});

test('a value is found by every name that the query language has for its field', () => {
  const message = sample({ fields: { User: 'ana', ip: ['a', 'b'] } });
  for (const [field, values] of [
    ['host', ['web-1']],
    ['hostname', ['web-1']],
    ['Level', ['info']],
    ['user', ['ana']],
    ['ip', ['a', 'b']],
    ['msgid', []],
    ['none', []],
    ['message', ['Accepted key for ana']],
  ] as const) {
    expect(valuesOf(message, field), field).toEqual(values);
  }
});

test('the names of the fields of some messages are told once each', () => {
  expect(
    ownFieldNames([sample({ fields: { b: '1', a: '2' } }), sample({ fields: { a: '3' } })]),
  ).toEqual(['a', 'b']);
});

test('pinned fields come first, and the filter looks at names and values', () => {
  const message = sample({ fields: { user: 'ana' } });
  const titles = (filter: string, pinned: string[]) =>
    arranged(fieldGroups(message), filter, pinned).map(({ title, rows }) => [
      title,
      rows.map(({ field }) => field).join(),
    ]);
  expect(titles('', ['host'])[0]).toEqual(['Pinned', 'host']);
  expect(titles('ANA', [])).toEqual([['Fields of the message', 'user']]);
  expect(titles('nothing of this', [])).toEqual([]);
});
