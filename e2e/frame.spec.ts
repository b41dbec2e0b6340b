// Keywords: navigation, session end, offline.
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './logstead';

const lines = Array.from(
  { length: 60 },
  (_, n) => `<${n % 3 === 0 ? 35 : 38}>1 - web-${n % 4} sshd ${n} - - session ${n} opened for ana`,
);

test.beforeEach(async ({ logstead, searchPage, page }) => {
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('*')).toBe(lines.length);
  await page.setViewportSize({ width: 1440, height: 900 });
  await searchPage.open({ q: 'session -host=web-3' });
  await expect.poll(() => searchPage.total()).toBe(45);
});

/** The names of all elements that can be clicked but are outside the window. */
async function offScreen(page: Page): Promise<string[]> {
  const bars = 'header, [role=search], [role=toolbar], main [role=status]';
  return page.locator(bars).evaluateAll((bars) =>
    bars.flatMap((bar) =>
      [...bar.querySelectorAll('button, a, [role=textbox], label')]
        .filter((one) => {
          const { left, right, width } = one.getBoundingClientRect();
          const isShown = width > 2 && getComputedStyle(one).visibility !== 'hidden';
          return isShown && (left < -1 || right > window.innerWidth + 1);
        })
        .map((one) => one.getAttribute('aria-label') ?? one.textContent),
    ),
  );
}

/** Pairs of buttons in the bars that overlap, and bars that overlap the rail. */
async function overlaps(page: Page): Promise<string[]> {
  return page.locator('[role=search], [role=toolbar]').evaluateAll((bars) => {
    const rail = document.querySelector('header')?.getBoundingClientRect();
    const covered = bars.filter((bar) => {
      const { left, right, top, bottom } = bar.getBoundingClientRect();
      if (rail === undefined) return true;
      return left < rail.right && rail.left < right && top < rail.bottom && rail.top < bottom;
    });
    const pairs = bars.flatMap((bar) => {
      const shown = [...bar.querySelectorAll('button')].filter(
        (one) => one.getBoundingClientRect().width > 2 && one.closest('[data-shown]') === null,
      );
      return shown.flatMap((one, at) => {
        const a = one.getBoundingClientRect();
        return shown.slice(at + 1).flatMap((other) => {
          const b = other.getBoundingClientRect();
          const isApart =
            a.right <= b.left + 1 ||
            b.right <= a.left + 1 ||
            a.bottom <= b.top ||
            b.bottom <= a.top;
          return isApart ? [] : [`${one.ariaLabel ?? one.textContent} ${other.ariaLabel ?? ''}`];
        });
      });
    });
    return [...covered.map((bar) => `${bar.ariaLabel ?? ''} and the rail`), ...pairs];
  });
}

const SIZES = [
  [2560, 1440],
  [1440, 900],
  [1280, 450],
  [1024, 768],
  [844, 390],
  [768, 1024],
  [720, 450],
  [390, 844],
] as const;

async function expectFit(page: Page): Promise<void> {
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    const size = `${width}x${height}`;
    await expect.poll(() => offScreen(page), size).toEqual([]);
    await expect.poll(() => overlaps(page), size).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), size).toBe(width);
  }
}

test('at no width does anything run off the screen or lie on something else', async ({ page }) => {
  await expectFit(page);
});

test('on a phone pages have their names, and the rest are behind one more', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const pages = page.getByRole('navigation', { name: 'Pages' });
  for (const name of ['Overview', 'Search', 'Tail', 'Senders', 'More']) {
    await expect(pages.getByText(name, { exact: true })).toBeVisible();
  }
  const more = pages.getByRole('button', { name: 'More pages' });
  await expect(more).not.toHaveAttribute('aria-current', 'page');
  await more.click();
  await page.getByRole('menuitem', { name: 'Logspaces' }).click();
  await expect(page).toHaveURL(/\/logspaces/);
  await expect(more).toHaveAttribute('aria-current', 'page');
  await more.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Router' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Flow' })).toBeFocused();
});

test('a saved search that was changed, shown as a table, runs off no screen', async ({
  actions,
  page,
}) => {
  await actions.save('Sessions of all hosts but the third one', 'Only me');
  await page.keyboard.press('v');
  await expect(page.getByRole('button', { name: 'Update' })).toBeVisible();
  await expectFit(page);
});

test('the pages of operators and administrators fit at every width', async ({
  adminPage,
  logspacesPage,
  logstead,
  page,
}) => {
  // The widest and the narrowest size, and one on either side of the width at which the frame changes.
  const widths = SIZES.filter(([width]) => [2560, 768, 720, 390].includes(width));
  const fits = async (what: string) => {
    for (const [width, height] of widths) {
      await page.setViewportSize({ width, height });
      const size = `${what}, ${width}x${height}`;
      await expect.poll(() => outside(page), size).toEqual([]);
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(wide, size).toBe(width);
    }
  };
  await adminPage.open({ user: 'admin' });
  await expect(adminPage.preview.getByText(/messages/).first()).toBeVisible();
  await fits('admin');
  await adminPage.open({ tab: 'audit' });
  await expect(adminPage.audit.getByRole('table')).toBeVisible();
  await fits('audit');
  await adminPage.open({ tab: 'settings' });
  await expect(adminPage.settings.getByRole('table')).toBeVisible();
  await fits('settings');
  await adminPage.open({ tab: 'server' });
  await adminPage.button('Make a report').click();
  await expect(adminPage.report.getByRole('group', { name: 'What it is' })).toBeVisible();
  await fits('server');
  await logspacesPage.open();
  await expect(logspacesPage.fills('main').getByRole('table')).toBeVisible();
  await logspacesPage.age.fill('30');
  await expect(page.getByText('Deletes nothing now.')).toBeVisible();
  await fits('logspaces');
  for (const path of [
    '/help?doc=router',
    '/help/api?op=put_router',
    '/router?view=list&item=sources-0',
    '/overview',
    '/senders',
    '/flow',
  ]) {
    await page.goto(logstead.url(path));
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('main').getByLabel('Loading')).toHaveCount(0);
    await fits(path);
  }
});

/** Controls that are neither within the window nor in a part that scrolls sideways. */
async function outside(page: Page): Promise<string[]> {
  return page
    .locator('header :is(button, a), main :is(button, a, input, select, [role=textbox])')
    .evaluateAll((all) =>
      all
        .filter((one) => {
          const { left, right, width } = one.getBoundingClientRect();
          const isShown = width > 2 && one.checkVisibility({ visibilityProperty: true });
          const scrolls = (part: Element | null): boolean =>
            part !== null &&
            (part.matches('nav, .unseen') ||
              (part.tagName !== 'MAIN' &&
                part.querySelector('table') !== null &&
                getComputedStyle(part).overflowX === 'auto') ||
              scrolls(part.parentElement));
          return isShown && (left < -1 || right > window.innerWidth + 1) && !scrolls(one);
        })
        .map((one) => one.getAttribute('aria-label') ?? one.textContent),
    );
}

/**
 * How many rows end above the lower edge, read at a single moment because the list may be redrawn.
 */
function rowsWithin(rows: Locator, height: number): Promise<number> {
  return rows.evaluateAll(
    (all, height) =>
      all.filter((row) => row.checkVisibility() && row.getBoundingClientRect().bottom <= height)
        .length,
    height,
  );
}

test('a low window gives its height to the messages', async ({ page, searchPage }) => {
  for (const [width, height, least] of [
    [1280, 450, 10],
    [720, 450, 5],
    [844, 390, 4],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect
      .poll(() => rowsWithin(searchPage.found, height), `${width}x${height}`)
      .toBeGreaterThanOrEqual(least);
  }
  const bars = page.getByRole('button', { name: 'Messages over time' });
  await expect(searchPage.timeline).toBeHidden();
  await bars.click();
  await expect(bars).toHaveAttribute('aria-expanded', 'true');
});

test('every action is in the palette, with its key', async ({ page }) => {
  await page.getByRole('heading', { name: 'Search' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Control+k');
  const typed = page.getByRole('combobox', { name: 'Find a command' });
  for (const [words, title, key] of [
    ['export', /^Export/, null],
    ['save', /^Save this search/, 's'],
    ['share', /^Share this search/, 'S'],
    ['table', /^Lines or table/, 'v'],
    ['wrap', /^Wrap long messages/, 'w'],
    ['compare', /^Compare the marked/, 'C'],
    ['columns', /^Columns/, null],
    ['live', /live updates|Live updates/, null],
    ['query help', /^Query help/, 'F1'],
  ] as const) {
    await typed.fill(words);
    const option = page.getByRole('option', { name: title }).first();
    await expect(option).toBeVisible();
    if (key !== null) await expect(option.locator('kbd').last()).toHaveText(key);
  }
});

test('the help names the fields that the messages have, and its examples run', async ({
  page,
  searchPage,
}) => {
  await page.getByRole('button', { name: 'Query help' }).click();
  const help = page.getByRole('dialog', { name: 'Query help' });
  await expect(help.getByRole('button', { name: 'host', exact: true })).toBeVisible();
  await help.getByRole('button', { name: 'severity>=err', exact: true }).click();
  await expect.poll(() => searchPage.written()).toBe('severity>=err');
  await expect.poll(() => searchPage.total()).toBe(20);
});

test('the way to another range is one click, and says where it leads', async ({ page }) => {
  await page.getByRole('button', { name: '15m', exact: true }).click();
  await expect(page).toHaveURL(/from=-15m/);
  await expect(page.getByRole('button', { name: '15m', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await page.keyboard.press('z');
  await expect(page).not.toHaveURL(/from=-15m/);
});
