// Keywords: store, integrity, segments.
import { spawnSync } from 'node:child_process';
import { expect, test } from './logstead';

test('what is acknowledged is found at the first try, a thousand times', async ({ logstead }) => {
  const missed: string[] = [];
  for (let n = 0; n < 1000; n++) {
    const word = `word${n}x`;
    await logstead.ingest([`the ${word} of this message`]);
    if ((await logstead.search(word)).length !== 1) missed.push(word);
  }
  expect(missed).toEqual([]);
});

test('ten thousand messages of loggen arrive completely', async ({ logstead }) => {
  const { hostname, port } = logstead.listener('tcp:');
  const options = [
    '--inet',
    '--stream',
    '--number',
    '10000',
    '--rate',
    '100000',
    '--interval',
    '30',
  ];
  const { error, stderr } = spawnSync('loggen', [...options, hostname, port], { encoding: 'utf8' });
  test.skip(error !== undefined, 'loggen (Debian: syslog-ng-core) is not installed');
  expect(stderr).toContain('count=10000');
  await expect.poll(() => logstead.count('*')).toBe(10_000);
});
