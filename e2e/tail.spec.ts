// Keywords: live tail, pause, resume.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from './logstead';
import { sequencesOf } from './pages/tail';
import { defaultRouter } from './server';

const run = promisify(execFile);

// By default any worker may take the next data of a connection. With this setting, messages are stored in the order
// of arrival.
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
    await expect(tailPage.state(/^[\d\u202f]+ of [\d\u202f]+\/s shown$/)).toBeVisible();
  });
});

test('the chart begins with what matched before, and columns stand below each other', async ({
  logstead,
  page,
  tailPage,
}) => {
  await logstead.sendTcp(
    ...Array.from(
      { length: 40 },
      (_, n) =>
        `<${n % 2 ? 11 : 14}>1 - web-${'x'.repeat(n % 9)} a-long-program-name 7 - - step ${n}`,
    ),
  );
  await expect.poll(() => logstead.count('step')).toBe(40);
  await tailPage.open({ q: 'step' });
  await expect(tailPage.line('step 39')).toBeVisible();
  await expect(
    page.getByRole('img', { name: /^Matches of the last 5 minutes: 40 in/ }),
  ).toBeVisible();
  for (const column of [2, 3, 4]) {
    const lefts = await tailPage.lines
      .locator(`[data-index] [role="cell"]:nth-child(${column})`)
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().left));
    expect(new Set(lefts).size).toBe(1);
  }
});

test('lines that stand still say so, and lead back to the newest', async ({
  logstead,
  page,
  tailPage,
}) => {
  await logstead.sendTcp(...steps(0, 3));
  await tailPage.open({ q: 'step' });
  await tailPage.line('seq: 2 ').click();
  const follow = page.getByRole('button', { name: 'Paused · Follow' });
  await expect(follow).toBeVisible();
  await logstead.sendTcp(...steps(3, 5));
  await expect(tailPage.waiting).toHaveText('Paused, 2 new · Follow');
  await tailPage.waiting.click();
  await expect(tailPage.line('seq: 4 ')).toBeVisible();
  await expect(tailPage.waiting).toBeHidden();
  await expect(follow).toBeHidden();
});

test('on a phone the newest lines are in view', async ({ logstead, page, tailPage }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await logstead.sendTcp(...steps(0, 150));
  await expect.poll(() => logstead.count('step')).toBe(150);
  await tailPage.open({ q: 'step' });
  await expect(tailPage.line('seq: 149 ')).toBeInViewport();
});

test('long messages can be wrapped, and no two lines lie on each other', async ({
  logstead,
  page,
  tailPage,
}) => {
  await logstead.sendTcp(
    ...Array.from(
      { length: 30 },
      (_, n) => `<14>1 - web app 1 - - step ${n} ${'word '.repeat(n * 9)}`,
    ),
  );
  await tailPage.open({ q: 'step' });
  await expect(tailPage.line('step 29')).toBeVisible();
  await page.keyboard.press('w');
  await expect(tailPage.rows.first()).toHaveAttribute('data-wrap', 'true');
  const boxes = () =>
    tailPage.lines.locator('[data-index]').evaluateAll((lines) =>
      lines
        .map((line) => line.getBoundingClientRect())
        .map(({ top, bottom }) => ({ top: Math.round(top), bottom: Math.round(bottom) }))
        .sort((a, b) => a.top - b.top),
    );
  await expect
    .poll(async () => (await boxes()).some(({ top, bottom }) => bottom - top > 40))
    .toBe(true);
  await expect
    .poll(async () => {
      const all = await boxes();
      return all.every(({ top }, at) => at === 0 || top >= (all[at - 1]?.bottom ?? 0));
    })
    .toBe(true);
});

test('a message opens beside the tail, and the address knows which', async ({
  logstead,
  page,
  tailPage,
}) => {
  const { drawer } = tailPage;
  await logstead.sendTcp(...steps(0, 3));
  await tailPage.open({ q: 'step' });
  await tailPage.line('seq: 1 ').getByRole('button', { name: 'Details' }).click();
  await expect(drawer.region).toContainText('step: seq: 1 .');
  await drawer.button('Newer message').click();
  await expect(drawer.region).toContainText('step: seq: 2 .');
  await drawer.tab('Raw');
  await page.reload();
  await expect(drawer.raw).toContainText('seq: 2 ');
  await drawer.button('Close').click();
  await expect(drawer.region).toBeHidden();
});

test('a value of a field narrows the tail, and a token of the query can be switched off', async ({
  logstead,
  page,
  tailPage,
}) => {
  await logstead.sendTcp(...steps(0, 2), '<14>1 - db-1 app 1 - - step: seq: 2 .');
  await expect.poll(() => logstead.count('step')).toBe(3);
  await tailPage.open({ q: 'step' });
  const fields = page.getByRole('complementary', { name: 'Fields' });
  await fields.getByRole('checkbox', { name: /^db-1, / }).click();
  await expect(page).toHaveURL(/q=step\+host%3Ddb-1/);
  await expect(tailPage.line('seq: 2 ')).toBeVisible();
  await expect(tailPage.line('seq: 1 ')).toBeHidden();
  await page.getByRole('button', { name: 'Switch off host=db-1' }).press('Enter');
  await expect(tailPage.line('seq: 1 ')).toBeVisible();
  await page.getByRole('button', { name: 'Switch on host=db-1' }).click();
  await expect(tailPage.line('seq: 1 ')).toBeHidden();
});

test('a click on a value offers what Search offers, and a table shows chosen columns', async ({
  logstead,
  page,
  tailPage,
}) => {
  await logstead.sendTcp(
    ...['web-1', 'db-1'].map((host) => `<14>1 - ${host} app 1 - - step: {"status": 502}`),
  );
  await tailPage.open({ q: 'step', view: 'table', columns: 'host,pid,message' });
  await expect(tailPage.lines.getByRole('columnheader', { name: 'pid' })).toBeVisible();
  await tailPage.line('db-1').locator('[data-field="host"]').click();
  await page.getByRole('menuitem', { name: 'Exclude' }).click();
  await expect(page).toHaveURL(/q=step\+-host%3Ddb-1/);
  await expect(tailPage.line('db-1')).toBeHidden();
  await expect(tailPage.line('web-1')).toBeVisible();
});

test('the row that has the focus is asked about by the keys of Search', async ({
  logstead,
  page,
  tailPage,
}) => {
  await tailPage.open();
  await expect(tailPage.state('Live')).toBeVisible();
  await logstead.sendTcp(
    '<14>1 - web-1 app - - - hello from web',
    '<14>1 - db-1 cron - - - hello from the database',
  );
  await expect(tailPage.line('hello from the database')).toBeVisible();
  await page.keyboard.press('j');
  await expect(tailPage.line('hello from the database').getByRole('button').first()).toBeFocused();
  await page.keyboard.press('l');
  await page.keyboard.press('.');
  await expect(page.getByRole('menuitem', { name: 'Top 20 values of program' })).toBeVisible();
  await page.keyboard.press('Escape');
  await tailPage.line('hello from the database').getByRole('button').first().focus();
  await page.keyboard.press('-');
  await expect(page).toHaveURL(/cron/);
  await expect(tailPage.line('hello from the database')).toBeHidden();
  await logstead.sendTcp('<14>1 - web-1 app - - - hello again');
  await expect(tailPage.line('hello again')).toBeVisible();
  await tailPage.line('hello again').getByRole('button').first().focus();
  await page.keyboard.press('c');
  await expect(
    tailPage.drawer.region.getByRole('tab', { name: 'Context', selected: true }),
  ).toBeVisible();
});

test.describe('with repeats folded', () => {
  test.use({ folds: true });

  test('what says the same is one row, which grows and can be opened', async ({
    logstead,
    tailPage,
  }) => {
    await logstead.sendTcp(...steps(0, 3));
    await tailPage.open({ q: 'step' });
    const repeats = (times: number) =>
      tailPage.lines.getByRole('button', { name: `${times} messages of this kind` });
    await expect(repeats(3)).toBeVisible();
    await expect(tailPage.rows).toHaveCount(1);
    await logstead.sendTcp(...steps(3, 5));
    await expect(repeats(5)).toBeVisible();
    await expect(tailPage.line('seq: 4 ')).toBeVisible();
    await repeats(5).click();
    await expect(tailPage.rows).toHaveCount(5);
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

/** The count, once it is the same twice in a row. */
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
