// Keywords: totals, rows and counts.
import { expect, test } from './logstead';
import { parseLine, questions } from './queries';

const MESSAGES = 4_000;

const texts = [
  'Failed password for invalid user admin from 10.0.0.7 port 51122 ssh2',
  'failed_login of user root, password wrong',
  'session opened for user ana by (uid=0)',
  'Accepted key for ana from 10.0.0.9 port 22 ssh2',
  'connection from fe80::1 refused, reconnecting',
  'Connected to upstream web-1:8080 in 12 ms',
  'access denied by policy 17 (user=bob)',
  'link of port 12 is down',
];

/** The same lines in every run, with every feature that the questions distinguish. */
function makeLines(): string[] {
  let state = 1;
  const below = (end: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % end;
  };
  const pick = (from: readonly string[]) => from[below(from.length)] ?? '';
  return Array.from({ length: MESSAGES }, (_, at) => {
    const head = `<${below(24) * 8 + below(8)}>1 - host-0${below(4)}${below(4)}`;
    return `${head} ${pick(['sshd', 'su', 'nginx', 'kernel'])} ${below(3000)} - - ${pick(texts)} n${at}`;
  });
}

test('the count on the screen is that of the API and of a plain look at every line, for twenty queries', async ({
  logstead,
  page,
  searchPage,
}) => {
  test.slow();
  const lines = makeLines();
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('*')).toBe(MESSAGES);
  const parsed = lines.map(parseLine);
  await searchPage.open({ from: 'all', refresh: 'off' });

  for (const { query, matches } of questions) {
    await test.step(query, async () => {
      const expected = parsed.filter(matches).length;
      expect(await logstead.count(query)).toBe(expected);
      await searchPage.search(query);
      await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(query);
      await expect.poll(() => searchPage.total()).toBe(expected);
    });
  }
});
