import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from './logstead';
import { sequencesOf } from './pages/tail';
import { defaultRouter } from './server';

const run = promisify(execFile);

// By default any worker may take what a connection sends next. Here the messages are stored in the order of arrival.
test.use({
  server: {
    router: defaultRouter.replace('kind = "syslog"\n', 'kind = "syslog"\npartitions = 1\n'),
  },
});

test('a message of logger is seen within a second', async ({ logstead, tailPage }) => {
  await tailPage.open();
  await expect(tailPage.state('Live')).toBeVisible();
  const { hostname, port } = logstead.listener('tcp:');
  await run('logger', ['-n', hostname, '-P', port, '-T', 'a word from logger']);
  await expect(tailPage.line('a word from logger')).toBeVisible({ timeout: 1_000 });
});

test('pause holds the view still under load, and resume shows all that came', async ({
  logstead,
  tailPage,
}) => {
  await tailPage.open({ q: 'runid' });
  await expect(tailPage.state('Live')).toBeVisible();
  const sender = logstead.startLoadgen('--rate', '1000/s', '--interval', '60');
  await expect.poll(() => tailPage.shownLines()).not.toEqual([]);

  await tailPage.button('Pause').click();
  await expect(tailPage.button('Resume')).toBeVisible();
  const held = sequencesOf(await tailPage.shownLines());
  await expect.poll(() => tailPage.waitingCount()).toBeGreaterThan(1_500);
  expect(sequencesOf(await tailPage.shownLines())).toEqual(held);

  sender.kill();
  const stored = await settledCount(() => logstead.count('runid'));
  const before = Math.max(...held) + 1;
  await expect.poll(() => tailPage.waitingCount()).toBe(stored - before);
  await tailPage.button('Resume').click();
  await expect(tailPage.waiting).toBeHidden();
  await expect.poll(() => tailPage.lastSequence()).toBe(stored - 1);
  const seen = await tailPage.allSequences();
  expect(seen).toEqual(contiguous(seen[0] ?? 0, stored - 1));
  expect(seen[0]).toBeLessThanOrEqual(before);
});

test('the server is restarted under an open tail, which goes on without a gap', async ({
  logstead,
  tailPage,
}) => {
  test.setTimeout(90_000);
  await tailPage.open({ q: 'step' });
  await expect(tailPage.state('Live')).toBeVisible();
  await logstead.sendTcp(...steps(0, 100));
  await expect(tailPage.line('step: seq: 99 ')).toBeVisible();
  await logstead.restart();
  await logstead.sendTcp(...steps(100, 200));
  await expect(tailPage.state('Live')).toBeVisible({ timeout: 30_000 });
  await expect(tailPage.line('step: seq: 199 ')).toBeVisible({ timeout: 30_000 });
  await expect.poll(() => tailPage.allSequences()).toEqual(contiguous(0, 199));
});

test.describe('above the rate that is shown', () => {
  test.use({ server: { settings: ['limits.tail_rate_max=100'] } });

  test('the tail says that it shows a part', async ({ logstead, tailPage }) => {
    await tailPage.open({ q: 'runid' });
    await expect(tailPage.state('Live')).toBeVisible();
    logstead.startLoadgen('--rate', '1000/s', '--interval', '60');
    await expect(tailPage.state(/^1 of \d+ shown, all stored$/)).toBeVisible();
  });
});

function steps(from: number, to: number): string[] {
  return Array.from(
    { length: to - from },
    (_, n) => `<14>1 - web-1 app 1 - - step: seq: ${from + n} .`,
  );
}

function contiguous(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}

/** The count once it is the same twice. */
async function settledCount(count: () => Promise<number>): Promise<number> {
  let last = -1;
  await expect
    .poll(async () => {
      const now = await count();
      const isSettled = now === last;
      last = now;
      return isSettled;
    })
    .toBe(true);
  return last;
}
