// Keywords: bundle size, requests, page weight.
import type { Page } from '@playwright/test';
import { expect, test } from './logstead';

/**
 * Maximum size of everything that Search loads by itself, compressed: the page, and the query
 * editor, which is loaded while the page can already be used.
 */
const SEARCH_BYTES_MAX = 415_000;
/** Less than 0.1 counts as good; on this page nothing has a reason to move. */
const LAYOUT_SHIFT_MAX = 0.02;
/** Far longer than a search takes: this detects a search that hangs, not one that is slow. */
const ROWS_WAIT_MAX_MS = 1_000;

test.describe('a browser that takes gzip', () => {
  test.use({ extraHTTPHeaders: { 'Accept-Encoding': 'gzip' } });

  test('loads no more than 415 KB for Search', async ({ page, searchPage }) => {
    const loads: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (['document', 'script', 'stylesheet'].includes(request.resourceType()))
        loads.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await searchPage.open();
    await expect(searchPage.firstMessage).toBeVisible();
    await expect(searchPage.query.and(page.locator('[contenteditable]'))).toBeVisible();
    const done = await Promise.all(loads);
    const bytes = done.reduce((sum, load) => sum + load, 0);
    test.info().annotations.push({ type: 'bytes', description: String(bytes) });
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(SEARCH_BYTES_MAX);
  });
});

test('nothing moves while results come in', async ({ logstead, page, searchPage }) => {
  await logstead.loadgen(20_000);
  await expect.poll(() => logstead.count('runid')).toBe(20_000);
  await observeShifts(page);
  await searchPage.open({ q: 'runid' });
  await expect(searchPage.message(/seq: /).first()).toBeVisible();
  await expect(page.getByText(/^20.000 messages$/)).toBeVisible();
  expect(await shifted(page)).toBeLessThanOrEqual(LAYOUT_SHIFT_MAX);
});

test('rows are there within a second of Enter', async ({ logstead, page, searchPage }) => {
  await logstead.ingest(['needle in a haystack', 'only hay']);
  await searchPage.open({ q: 'hay', refresh: 'off' });
  await expect(searchPage.message('only hay')).toBeVisible();
  await searchPage.query.fill('needle');
  const began = Date.now();
  await page.keyboard.press('Enter');
  await expect(searchPage.message('needle in a haystack')).toBeVisible();
  await expect(searchPage.message('only hay')).toBeHidden();
  expect(Date.now() - began).toBeLessThan(ROWS_WAIT_MAX_MS);
});

interface Shifts {
  shifts: number;
}

async function observeShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counted = window as unknown as Shifts;
    counted.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[])
        if (!entry.hadRecentInput) counted.shifts += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

async function shifted(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as Shifts).shifts);
}
