// Keywords: stats, charts, tables.
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './logstead';
import { admin } from './server';

const MESSAGES = 200_000;
const SMALL = 500;

test('a table of statistics and its chart have the numbers of the API, and a group leads to its messages', async ({
  logstead,
  searchPage,
  statistics,
}) => {
  await logstead.sendTcp(
    ...Array.from({ length: 60 }, (_, n) => `<14>1 - web-${n % 5 ? n % 3 : 7} app 1 - - step ${n}`),
  );
  await expect.poll(() => logstead.count('step')).toBe(60);
  const query = 'step | stats count() by host';
  const answer = await logstead.aggregate(query);
  expect(answer.rows.length).toBe(4);

  await searchPage.open({ q: query, refresh: 'off' });
  await expect(statistics.chart).toBeVisible();
  const expected = answer.rows.map((row) => row.map(String)).toSorted(byText);
  await expect.poll(async () => (await statistics.rows()).toSorted(byText)).toEqual(expected);
  for (const [host = '', count = ''] of expected) {
    await expect(statistics.chart).toContainText(host);
    await expect(statistics.chart).toContainText(count);
  }

  await statistics.showMessagesOf('web-7');
  await expect(searchPage.message(/step 5$/)).toHaveCount(1);
  const count = await logstead.count('step host=web-7');
  await expect(searchPage.messages.getByRole('row').filter({ hasText: /step \d/ })).toHaveCount(
    count,
  );
});

test('a timechart draws a line for each group', async ({ logstead, searchPage, statistics }) => {
  const now = Date.now();
  await logstead.sendTcp(
    ...Array.from({ length: 30 }, (_, n) => {
      const time = new Date(now - n * 60_000).toISOString();
      return `<14>1 ${time} web-${n % 3} app 1 - - step ${n}`;
    }),
  );
  await expect.poll(() => logstead.count('step')).toBe(30);
  await searchPage.open({
    q: 'step | timechart span=5m count() by host',
    from: '-1h',
    refresh: 'off',
  });
  await statistics.as('Lines').click();
  await expect(statistics.chart).toHaveAccessibleName(/^Lines: /);
  await expect(statistics.series).toHaveCount(3);
  await expect(statistics.drawn).toHaveCount(3);
  // The lines are distinguished by their colours.
  for (const line of await statistics.drawn.all())
    await expect(line).toHaveCSS('stroke-dasharray', 'none');
});

test('bars stand behind the numbers of the column that the rows are sorted by, and of no other', async ({
  logstead,
  searchPage,
  statistics,
}) => {
  await logstead.sendTcp(
    ...Array.from({ length: 12 }, (_, n) => `<14>1 - web-${n % 3} app ${n % 4} - - step ${n}`),
  );
  await expect.poll(() => logstead.count('step')).toBe(12);
  await searchPage.open({ q: 'step | stats count() dc(pid) by host', refresh: 'off' });
  await statistics.as('Table').click();
  const row = statistics.table.getByRole('row', { name: /^web-1/ });
  const withBar = row.locator('td[style*="--share"]');
  await expect(row.getByRole('cell', { name: '4' })).toHaveCount(2);
  for (const column of ['count', 'dc(pid)']) {
    const head = statistics.table.getByRole('columnheader', { name: column });
    await head.getByRole('button').click();
    await expect(head).toHaveAttribute('aria-sort', /ending$/);
    await expect(withBar).toHaveCount(1);
  }
});

test('each bar stands beside its row, and a table ends with its rows', async ({
  logstead,
  searchPage,
  statistics,
}) => {
  const now = Date.now();
  await logstead.sendTcp(
    ...Array.from({ length: 30 }, (_, n) => {
      const time = new Date(now - n * 60_000).toISOString();
      return `<14>1 ${time} web-${n % 3} app 1 - - step ${n}`;
    }),
  );
  await expect.poll(() => logstead.count('step')).toBe(30);
  await searchPage.open({ q: 'step | stats count() by host', refresh: 'off' });
  await expect.poll(() => statistics.rows()).toHaveLength(3);
  const middleOf = async (part: Locator) => {
    const box = await part.boundingBox();
    return box === null ? NaN : box.y + box.height / 2;
  };
  for (const host of ['web-0', 'web-1', 'web-2']) {
    const bar = await middleOf(statistics.chart.getByText(host, { exact: true }));
    const row = await middleOf(statistics.table.getByRole('row').filter({ hasText: host }));
    expect(Math.abs(bar - row)).toBeLessThan(2);
  }
  const frame = statistics.region.getByRole('region', { name: 'Rows' });
  const heightOf = async (part: Locator) => (await part.boundingBox())?.height ?? NaN;
  expect((await heightOf(frame)) - (await heightOf(statistics.table))).toBeLessThan(4);

  // A narrow table is shown beside a time chart, too.
  await searchPage.open({ q: 'step | timechart span=5m count()', from: '-1h', refresh: 'off' });
  await expect(statistics.series).toHaveCount(1);
  const chart = await statistics.chart.boundingBox();
  const rows = await frame.boundingBox();
  expect(rows?.x).toBeGreaterThanOrEqual((chart?.x ?? 0) + (chart?.width ?? Infinity));
  const first = statistics.table.getByRole('row').nth(1).getByRole('cell').first();
  await expect(first).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\dso far$/);
});

const SPAN_MS = 600_000;

test('a timechart becomes a table of times by series, and the legend sorts', async ({
  logstead,
  page,
  searchPage,
  statistics,
}) => {
  // The newest time span must not end during the test.
  await expect.poll(() => Date.now() % SPAN_MS, { timeout: 45_000 }).toBeLessThan(SPAN_MS - 30_000);
  const now = Date.now();
  await logstead.sendTcp(
    ...Array.from({ length: 720 }, (_, n) => {
      const time = new Date(now - n * 5_000).toISOString();
      return `<14>1 ${time} web-${n % 3} app 1 - - step took=${[1500, 300, 100][n % 3] ?? 0}ms`;
    }),
  );
  await expect.poll(() => logstead.count('step')).toBe(720);
  await searchPage.open({
    q: 'step | parse kv | timechart span=10m avg(took) by host',
    from: '-1h',
    refresh: 'off',
  });
  await expect(statistics.region.getByRole('heading')).toHaveText('avg(took) by host');
  const heads = statistics.table.getByRole('columnheader');
  await expect(heads).toHaveText(['time', 'web-0', 'web-1', 'web-2']);
  const newest = statistics.table.getByRole('row').nth(1);
  await expect(newest).toContainText('so far');
  await expect(newest).toContainText('1.50\u202fs');
  await expect(statistics.table).toContainText('in part');

  await expect(statistics.series.first()).toContainText('web-0');
  const byMax = page.getByRole('columnheader', { name: 'max' });
  await expect(byMax).toHaveAttribute('aria-sort', 'descending');
  await byMax.getByRole('button').click();
  await expect(statistics.series.first()).toContainText('web-2');
  await statistics.series.first().hover();
  await expect(statistics.region.locator('[data-faded=true]')).toHaveCount(2);
});

test('a click on a value filters and stays, and the keys read a chart aloud', async ({
  logstead,
  page,
  searchPage,
  statistics,
}) => {
  await logstead.sendTcp(
    ...Array.from({ length: 12 }, (_, n) => `<14>1 - web-${n % 3} app 1 - - step ${n}`),
  );
  await expect.poll(() => logstead.count('step')).toBe(12);
  await searchPage.open({ q: 'step | stats count() by host', refresh: 'off' });
  await expect.poll(() => statistics.rows()).toHaveLength(3);
  await statistics.table.getByRole('button', { name: 'web-1', exact: true }).click();
  await expect.poll(() => statistics.rows()).toEqual([['web-1', '4']]);
  expect(await searchPage.written()).toBe('step host=web-1 | stats count() by host');
  await expect(statistics.chart).toBeVisible();

  await page.goBack();
  await expect.poll(() => statistics.rows()).toHaveLength(3);
  const points = statistics.chart.getByRole('group');
  await points.focus();
  await page.keyboard.press('End');
  await expect(statistics.chart.getByRole('status')).toHaveText('web-2: count 4');
  await page.keyboard.press('Alt+Enter');
  await expect.poll(() => statistics.rows()).toHaveLength(2);
  await expect(statistics.table).not.toContainText('web-2');
});

/** Simulates a browser without a file dialog, like most browsers: exports become downloads. */
async function withoutFileDialog(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, 'showSaveFilePicker');
  });
}

test.describe('an export', () => {
  test.describe.configure({ timeout: 120_000 });

  test('of 200 000 messages has every one of them, once', async ({
    actions,
    logstead,
    page,
    searchPage,
  }) => {
    await logstead.loadgen(MESSAGES);
    await expect.poll(() => logstead.count('runid'), { timeout: 60_000 }).toBe(MESSAGES);
    await withoutFileDialog(page);
    await searchPage.open({ q: 'runid', from: 'all', refresh: 'off' });
    await actions.open('Export');
    const download = page.waitForEvent('download', { timeout: 90_000 });
    await actions.button('Export').click();
    const text = await readFile(await (await download).path(), 'utf8');

    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBe(MESSAGES);
    const seen = new Set(lines.map((line) => sequenceOf((JSON.parse(line) as Line).message)));
    const missing = Array.from({ length: MESSAGES }, (_, n) => n).filter((n) => !seen.has(n));
    expect(missing).toEqual([]);
  });

  test('as CSV has a line of names and every message', async ({
    actions,
    logstead,
    page,
    searchPage,
  }) => {
    await logstead.loadgen(SMALL);
    await expect.poll(() => logstead.count('runid')).toBe(SMALL);
    await withoutFileDialog(page);
    await searchPage.open({ q: 'runid', from: 'all', refresh: 'off' });
    await actions.open('Export');
    await actions.dialog.getByText('CSV', { exact: true }).click();
    const download = page.waitForEvent('download');
    await actions.button('Export').click();
    const text = await readFile(await (await download).path(), 'utf8');

    const [head, ...lines] = text.trimEnd().split(/\r?\n/);
    expect(head).toBe('time,host,program,severity,message');
    expect(new Set(lines.map(sequenceOf)).size).toBe(SMALL);
    expect(lines.length).toBe(SMALL);
  });

  test('that is cancelled saves nothing', async ({ actions, logstead, page, searchPage }) => {
    await logstead.loadgen(20_000);
    await expect.poll(() => logstead.count('runid')).toBe(20_000);
    await withoutFileDialog(page);
    const saved: string[] = [];
    page.on('download', (download) => saved.push(download.suggestedFilename()));
    await searchPage.open({ q: 'runid', from: 'all', refresh: 'off' });
    await actions.open('Export');
    await expect(actions.button('Export')).toBeEnabled();
    // On a slow connection the user has time to change their mind.
    const network = await page.context().newCDPSession(page);
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: 200_000,
      uploadThroughput: -1,
    });
    await actions.button('Export').click();
    await actions.button('Cancel').click();
    await expect(actions.dialog.getByText('Nothing was saved.')).toBeVisible();
    expect(saved).toEqual([]);
  });
});

test('a shared search is found by others, a private one is not; it can be renamed and deleted', async ({
  actions,
  logstead,
  page,
  searchPage,
}) => {
  await logstead.ingest(['needle in a haystack', 'only hay']);
  await logstead.addUser({ name: 'ben', role: 'analyst', password: 'another long password' });
  await searchPage.open({ q: 'needle', refresh: 'off' });
  await actions.save('For everybody', 'Everybody');
  await searchPage.open({ q: 'hay', refresh: 'off' });
  await actions.save('For me', 'Only me');
  await page.reload();
  await actions.open('Saved');
  await expect(actions.saved('For everybody')).toBeVisible();
  await expect(actions.saved('For me')).toBeVisible();

  const signIn = async (data: { name: string; password: string }) => {
    await page.context().clearCookies();
    expect((await page.request.post(logstead.url('/api/v1/session'), { data })).ok()).toBe(true);
    await searchPage.open();
    await actions.open('Saved');
    await expect(actions.dialog.getByRole('status', { name: 'Loading' })).toBeHidden();
  };
  await signIn({ name: 'ben', password: 'another long password' });
  await expect(actions.saved('For everybody')).toBeVisible();
  await expect(actions.saved('For me')).toBeHidden();
  await actions.saved('For everybody').getByRole('button').first().click();
  await expect(searchPage.message('needle in a haystack')).toBeVisible();
  await expect(searchPage.message('only hay')).toBeHidden();

  await signIn(admin);
  await actions.menuOf('For me', /^Name, folder/);
  await actions.dialog.getByLabel('Name').fill('For myself');
  await actions.button('Save').click();
  await expect(actions.saved('For myself')).toBeVisible();
  await actions.menuOf('For everybody', 'Delete');
  await expect(actions.saved('For everybody')).toBeHidden();
  await page.reload();
  await actions.open('Saved');
  await expect(actions.saved('For myself')).toBeVisible();
  await expect(actions.saved('For everybody')).toBeHidden();
});

interface Line {
  message: string;
}

/** The number that the load generator gave the message. */
function sequenceOf(text: string): number {
  return Number(/seq: (\d+)/.exec(text)?.[1] ?? Number.NaN);
}

function byText(a: readonly string[], b: readonly string[]): number {
  return (a[0] ?? '').localeCompare(b[0] ?? '');
}
