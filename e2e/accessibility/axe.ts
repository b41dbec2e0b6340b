import type axe from 'axe-core';
import type { RunOptions } from 'axe-core';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../logstead';
import type { Logstead } from '../server';

/** The minified version: reading it takes a page as long as running it. */
const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The rules whose outcome depends on colours; the results of all others are the same in both
 * themes.
 */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Looks in the theme that the page has and then in the other, which stays: to change it redraws everything. It looks
 * when nothing moves or is loading any more: what changes meanwhile is judged half done. Where the page was looked at
 * before, `within` is the part that is new.
 */
export async function expectAccessible(page: Page, state: string, within?: Locator): Promise<void> {
  await test.step(state, async () => {
    const theme = await themeOf(page);
    await expectNoViolations(page, {}, `${state}, ${theme}`, within);
    const other = theme === 'light' ? 'dark' : 'light';
    await setTheme(page, other);
    await expectNoViolations(page, { runOnly: COLOUR_RULES }, `${state}, ${other}`, within);
  });
}

async function expectNoViolations(
  page: Page,
  rules: RunOptions,
  state: string,
  within?: Locator,
): Promise<void> {
  await hasSettled(page);
  const found = (await violations(page, rules, within)).map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  }));
  expect.soft(found, state).toEqual([]);
}

/**
 * In the page itself, where axe stays until the next one is loaded. What @axe-core/playwright does besides, for pages
 * with frames, takes most of its time: a second page that puts the answers of all frames together.
 */
async function violations(
  page: Page,
  rules: RunOptions,
  within: Locator = page.locator('html'),
): Promise<axe.Result[]> {
  expect(page.frames(), 'a page without frames').toHaveLength(1);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await axeSource);
  const options = { ...rules, resultTypes: ['violations'] } satisfies RunOptions;
  const answer = await within.evaluate(
    (part, options) => (window as unknown as { axe: typeof axe }).axe.run(part, options),
    options,
  );
  return answer.violations;
}

function themeOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
}

/** The page follows the system's theme, so open menus and dialogs stay open. */
async function setTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (scheme) => document.documentElement.dataset['mantineColorScheme'] === scheme,
    colorScheme,
    { timeout: 30_000 },
  );
}

/**
 * Even without motion a colour changes by a transition, for a frame or two. One within closed details never ends: a look
 * computes their style, but nothing draws them.
 */
async function hasSettled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const isDrawn = ({ effect }: Animation) =>
        effect instanceof KeyframeEffect && effect.target?.checkVisibility() === true;
      // Results of an earlier query are dimmed.
      const isOld = document.querySelector('[aria-busy="true"], [data-behind="true"]') !== null;
      const moves = document
        .getAnimations()
        .some((one) => one instanceof CSSTransition && isDrawn(one));
      return !isOld && !moves;
    },
    undefined,
    { timeout: 30_000 },
  );
}

export const SEVERITIES = [0, 1, 2, 3, 4, 5, 6, 7];

export async function sendSome(logstead: Logstead): Promise<void> {
  await logstead.sendTcp(
    ...SEVERITIES.map((n) => `<${n}>1 - host-${n} app 1 - - severity ${n} user=ana`),
  );
  await expect.poll(() => logstead.count('severity')).toBe(SEVERITIES.length);
}

/** The open menu or dialog; if a menu is open in a dialog, the menu. */
export function over(page: Page): Locator {
  return page.getByRole('menu').or(page.getByRole('dialog')).last();
}

export function button(where: Page | Locator, name: string | RegExp): Locator {
  return where.getByRole('button', { name, exact: true });
}

/** One check of a page takes two seconds or more, and a test has a dozen. */
export const LOOKS = { timeout: 240_000 };
