import { expect, test } from 'vitest';
import { cutMiddle, rowLayoutOf, nothingCommon } from './rowLayout';
import { sample } from './sample';

const hosts = (names: string[], host: string | null = null) =>
  rowLayoutOf(
    names.map((host) => sample({ host })),
    [],
    { host, program: null },
  );

test('a column has room for nine values of ten, and never for more than 22 characters', () => {
  const names = (lengths: number[]) => hosts(lengths.map((length) => 'h'.repeat(length)));
  expect(names([1, 2]).host.ch).toBe(4);
  expect(names([5, 5, 5, 5, 5, 5, 5, 5, 9, 60]).host.ch).toBe(9);
  expect(names([40, 41, 42]).host.ch).toBe(22);
});

test('a value that all messages of the result have stands in the head, if there are enough rows', () => {
  expect(hosts(['a', 'a', 'a', 'a'], 'a').host.only).toBeNull();
  expect(hosts(['a', 'a', 'a', 'a', 'a'], 'a').host.only).toBe('a');
  expect(hosts(['', '', '', '', ''], '').host.only).toBe('');
});

test('rows that are alike say nothing of the others', () => {
  expect(hosts(['a', 'a', 'a', 'a', 'a']).host.only).toBeNull();
  // A row that arrived after the counts.
  expect(hosts(['b', 'a', 'a', 'a', 'a'], 'a').host.only).toBeNull();
});

test('logspaces are told apart where there are several', () => {
  expect(rowLayoutOf([sample(), sample()], [], nothingCommon).logspace).toBeNull();
  expect(
    rowLayoutOf([sample(), sample({ logspace: 'security' })], [], nothingCommon).logspace?.ch,
  ).toBe(8);
});

test('a long name is cut in the middle', () => {
  expect(cutMiddle('org.apache.hadoop.hdfs.DataNode', 15)).toBe('org.apa…ataNode');
  expect(cutMiddle('sshd', 4)).toBe('sshd');
  expect(cutMiddle('x'.repeat(1_000_000), 9)).toBe('xxxx…xxxx');
});
