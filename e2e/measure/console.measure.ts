import type { Page } from '@playwright/test';
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from '../logstead';
import { parseLine, questions } from '../queries';
import { type Logstead, binary } from '../server';

/** A file of syslog lines (RFC 5424) with which the store is filled. */
const corpus = process.env['CORPUS'] ?? '';
const ROUNDS = 3;
const ROWS = Number(process.env['ROWS'] ?? 100_000);
const SCROLL_MS = 10_000;
const TAIL_RATE = 5_000;
const TAIL_SECONDS = 20;

test('the console over a large store', async ({ logstead, page, searchPage }) => {
  test.skip(corpus === '', 'CORPUS=file says which messages');
  const lines = await test.step('fill the store', () => fill(logstead));
  report('messages', lines.count);

  await test.step('counts on the screen, of the API and of a plain look at every line', async () => {
    const differing: string[] = [];
    for (const [at, { query }] of questions.entries()) {
      await searchPage.open({ q: query, from: 'all', refresh: 'off' });
      await expect.poll(() => searchPage.total(), { timeout: 30_000 }).not.toBeNull();
      const shown = await searchPage.total();
      const counted = await logstead.count(query);
      if (shown !== counted || counted !== lines.expected[at]) differing.push(query);
    }
    report('queries whose counts differ', differing.length);
    expect(differing).toEqual([]);
  });

  await test.step('from Enter to rows, and to everything counted', async () => {
    const asked = questions.slice(1).map(({ query }) => ({ query, took: [] as string[] }));
    const all: { rows: number; counted: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // A new page, so that no answer from the previous round is cached.
      await searchPage.open({ from: 'all', refresh: 'off' });
      await searchPage.editor();
      for (const { query, took } of asked) {
        const [rows, counted] = await ask(page, searchPage.query, query);
        all.push({ rows, counted });
        took.push(`${Math.round(rows)}/${Math.round(counted)}`);
      }
    }
    for (const { query, took } of asked) report(`rows/all ms, ${query}`, took.join(' '));
    report('rows ms, p50', median(all.map(({ rows }) => rows)));
    report('all ms, p50', median(all.map(({ counted }) => counted)));
  });

  await test.step('layout shift over the searches of the last page', async () => {
    report('layout_shift', await layoutShift(page));
  });

  await test.step('scrolling', async () => {
    for (const view of ['lines', 'table']) {
      await searchPage.open({ from: 'all', refresh: 'off', view });
      await expect(searchPage.found.first()).toBeVisible();
      const loaded = await loadRows(page, ROWS);
      const frames = await scroll(page, SCROLL_MS);
      report(`scroll ${view}, ${loaded} rows`, summary(frames));
    }
  });

  await test.step('a fast tail', async () => {
    await page.goto(logstead.url('/tail'));
    await expect(page.getByText('Live', { exact: true }).first()).toBeVisible();
    const sending = load(logstead, TAIL_RATE, TAIL_SECONDS);
    const frames = await framesFor(page, (TAIL_SECONDS - 5) * 1000);
    report(`tail at ${TAIL_RATE}/s`, summary(frames));
    const pause = page.getByRole('button', { name: /^Pause/ }).first();
    const started = Date.now();
    await pause.click();
    await expect(page.getByRole('button', { name: /^Resume/ }).first()).toBeVisible();
    report('pause_ms', Date.now() - started);
    await sending;
  });
});

/**
 * Sends the corpus, waits until as much as possible is sealed, and computes the expected count of
 * each question from the lines.
 */
async function fill(logstead: Logstead): Promise<{ count: number; expected: number[] }> {
  const expected = questions.map(() => 0);
  let count = 0;
  for await (const text of createInterface({ input: createReadStream(corpus) })) {
    const line = parseLine(text);
    count += 1;
    questions.forEach(({ matches }, at) => {
      if (matches(line)) expected[at] = (expected[at] ?? 0) + 1;
    });
  }
  await loadgen(logstead, ['--read-file', corpus, '--rate', '300000/s', '--quiet']);
  await expect.poll(() => logstead.count('*'), { timeout: 600_000 }).toBe(count);
  await expect.poll(() => logstead.unsealed(), { timeout: 600_000 }).toBe(0);
  return { count, expected };
}

function load(logstead: Logstead, rate: number, seconds: number): Promise<void> {
  const options = ['--rate', `${rate}/s`, '--interval', `${seconds}`, '--quiet'];
  return loadgen(logstead, options);
}

function loadgen(logstead: Logstead, options: string[]): Promise<void> {
  const args = ['loadgen', logstead.listener('tcp:').href.replace(/\/$/, ''), ...options];
  const child = spawn(binary, args, { stdio: 'ignore' });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`loadgen ended with ${String(code)}`));
    });
  });
}

/**
 * Types a query, presses Enter, and reads from the page's own performance marks how long both parts
 * of the answer took.
 */
async function ask(page: Page, field: SearchField, query: string): Promise<[number, number]> {
  await field.fill('nothing-like-this');
  await field.press('Enter');
  await page.waitForFunction(() =>
    performance
      .getEntriesByName('search: all counted')
      .some((entry) => (entry as PerformanceMark).detail === 'nothing-like-this'),
  );
  await field.fill(query);
  await page.evaluate(() => {
    performance.clearMarks();
    addEventListener('keydown', () => performance.mark('asked'), { capture: true, once: true });
  });
  await field.press('Enter');
  const marks = await page.waitForFunction(
    (wanted) => {
      const at = (name: string) =>
        performance
          .getEntriesByName(name)
          .find((entry) => name === 'asked' || (entry as PerformanceMark).detail === wanted)
          ?.startTime;
      const [asked, rows, counted] = ['asked', 'search: first rows', 'search: all counted'].map(at);
      return asked !== undefined && rows !== undefined && counted !== undefined
        ? { rows: rows - asked, counted: counted - asked }
        : null;
    },
    query,
    { polling: 'raf' },
  );
  const { rows, counted } = (await marks.jsonValue()) ?? { rows: NaN, counted: NaN };
  return [rows, counted];
}

type SearchField = ReturnType<Page['getByRole']>;

async function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, hadRecentInput } = entry as PerformanceEntry & {
              value: number;
              hadRecentInput: boolean;
            };
            if (!hadRecentInput) sum += value;
          }
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            resolve(sum);
          }),
        );
      }),
  );
}

/** Scrolls to the end until this many rows are loaded. */
async function loadRows(page: Page, rows: number): Promise<number> {
  return page.evaluate(async (wanted) => {
    const table = document.querySelector('[role="table"][aria-label="Messages"]');
    let scroller: Element | null = table;
    while (scroller !== null && scroller.scrollHeight <= scroller.clientHeight)
      scroller = scroller.parentElement;
    if (scroller === null) return 0;
    const list = scroller;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const rowPx = 24;
    const deadline = performance.now() + 300_000;
    while (list.scrollHeight / rowPx < wanted && performance.now() < deadline) {
      list.scrollTop = list.scrollHeight;
      await frame();
    }
    return Math.round(list.scrollHeight / rowPx);
  }, rows);
}

/**
 * The times between frames while the list is scrolled from its middle, as fast as a hand does it.
 */
async function scroll(page: Page, forMs: number): Promise<number[]> {
  return page.evaluate(async (ms) => {
    const table = document.querySelector('[role="table"][aria-label="Messages"]');
    let scroller: Element | null = table;
    while (scroller !== null && scroller.scrollHeight <= scroller.clientHeight)
      scroller = scroller.parentElement;
    if (scroller === null) return [];
    scroller.scrollTop = scroller.scrollHeight / 4;
    const frames: number[] = [];
    let before = performance.now();
    const end = before + ms;
    while (before < end) {
      scroller.scrollTop += 60;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      frames.push(now - before);
      before = now;
    }
    return frames;
  }, forMs);
}

async function framesFor(page: Page, forMs: number): Promise<number[]> {
  return page.evaluate(async (ms) => {
    const frames: number[] = [];
    let before = performance.now();
    const end = before + ms;
    while (before < end) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      frames.push(now - before);
      before = now;
    }
    return frames;
  }, forMs);
}

/** A summary of the times between frames, in milliseconds. */
function summary(frames: number[]): string {
  const sorted = [...frames].sort((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? NaN);
  return `${frames.length} frames, median ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

function median(figures: number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? NaN);
}

function report(what: string, figure: number | string): void {
  console.log(`${what}: ${figure}`);
}
