// Keywords: not known, killed server, slow server, empty.
/**
 * No page may claim that something is well if it does not know. `npm run states -w e2e` takes
 * pictures of the same states.
 */
import type { Page } from '@playwright/test';
import { expect, test } from './logstead';
import { fill, holdAnswers, places, praise, settled, statesRouter } from './states';

/** The page polls the server every five seconds. */
const SOON = { timeout: 20_000 };
const password = 'a long enough password';

test.use({ server: { router: statesRouter } });

const away = (page: Page) => page.getByText(/^The server (cannot be reached|does not answer)\./);
const health = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^Health: ${name}`) });

async function expectNoPraise(page: Page, place: string): Promise<void> {
  await expect.poll(() => praise(page), { message: place }).toEqual([]);
}

test('of a server that was killed nothing is well, and all comes back with it', async ({
  logstead,
  page,
}) => {
  await fill(logstead);
  const shown = ['/overview', '/flow', '/router', '/logspaces?space=main', '/search', '/send'];
  const pages = await Promise.all(
    shown.map(async (place) => {
      const one = await page.context().newPage();
      await one.goto(logstead.url(place));
      await settled(one);
      return one;
    }),
  );
  const [overview, flow] = pages as [Page, Page];
  await expect(overview.getByRole('heading', { name: /All is well/ })).toBeVisible();
  await expect(flow.getByText('Balanced', { exact: true })).toBeVisible();
  await page.goto(logstead.url('/account'));
  await settled(page);

  await logstead.kill();
  for (const [at, one] of pages.entries()) {
    await expect(away(one)).toBeVisible(SOON);
    await expect(health(one, 'No answer')).toBeVisible();
    await expectNoPraise(one, shown[at] ?? '');
  }
  await expect(overview.getByRole('heading', { name: /^Not known since/ })).toBeVisible();
  // The code of this page was not needed until now.
  await page.getByRole('link', { name: 'Senders' }).click();
  await expect(page.getByRole('heading', { name: 'This page is not here yet' })).toBeVisible(SOON);

  await logstead.restart();
  await expect(page.getByRole('heading', { name: 'Senders', exact: true })).toBeVisible(SOON);
  const strip = page.getByRole('heading', { name: 'Senders', exact: true }).locator('..');
  await expect(strip, 'the styles of the page are there, too').toHaveCSS('display', 'flex');
  for (const one of pages) await expect(away(one)).toBeHidden(SOON);
  await expect(overview.getByRole('heading', { name: /All is well/ })).toBeVisible(SOON);
  await expect(flow.getByText('Balanced', { exact: true })).toBeVisible(SOON);
});

test('of a server that does not answer nothing is well', async ({ logstead, page }) => {
  await fill(logstead);
  await holdAnswers(page);
  for (const place of places) {
    await page.goto(logstead.url(place));
    await settled(page);
    await expect(health(page, 'Checking'), place).toBeVisible();
    await expectNoPraise(page, place);
  }
});

test('to a user who sees a part of the store nothing is well that only others know', async ({
  logstead,
  page,
}) => {
  await fill(logstead);
  await logstead.addUser({ name: 'anna', role: 'analyst', password, logspaces: ['security'] });
  await page.context().clearCookies();
  await page.request.post(logstead.url('/api/v1/session'), { data: { name: 'anna', password } });
  for (const place of places) {
    await page.goto(logstead.url(place));
    await settled(page);
    await expect(health(page, 'Not known to you'), place).toBeVisible();
    await expectNoPraise(page, place);
  }
  const rail = page.getByRole('navigation', { name: 'Pages' });
  await expect(rail.getByRole('link', { name: 'Router' })).toHaveCount(0);
  await page.goto(logstead.url('/router'));
  await expect(page.getByRole('heading', { name: 'Not known to you' })).toBeVisible();
  await expect(page.getByText(/needs access to all logspaces.*administrator/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
});
