// Keywords: long-lived page, reconnect, memory.
import { expect, test } from './logstead';
import { admin } from './server';

/** The page polls the server every five seconds. */
const SOON = { timeout: 20_000 };
/** How often a question is asked before the page gives up. */
const TRIES = 3;

test('a page says that the server is away, and goes on by itself when it is back', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.ingest(['needle before']);
  await searchPage.open({ q: 'needle' });
  await expect(searchPage.message('needle before')).toBeVisible();
  await expect.poll(() => searchPage.total()).toBe(1);
  const place = await searchPage.message('needle before').boundingBox();

  await logstead.kill();
  await expect(searchPage.away).toBeVisible(SOON);
  // The page shows a single notice, however many requests fail; and nothing moves.
  let failed = 0;
  page.on('requestfailed', (request) => {
    if (request.url().endsWith('/api/v1/overview')) failed += 1;
  });
  await page.keyboard.press('r');
  await expect.poll(() => failed).toBe(TRIES);
  expect(await searchPage.overlaps()).toBe(0);
  await expect(page.getByText(/unreachable|cannot be reached/)).toHaveCount(1);
  await expect(page.getByRole('region', { name: 'Notifications' })).toBeEmpty();
  expect(await searchPage.message('needle before').boundingBox()).toEqual(place);

  await logstead.restart();
  await logstead.ingest(['needle after']);
  await expect(searchPage.away).toBeHidden(SOON);
  await expect(searchPage.message('needle after')).toBeVisible(SOON);
  await expect(searchPage.message('needle before')).toBeVisible();
});

test('a page whose session was ended elsewhere asks to sign in over it, and keeps what was written', async ({
  logstead,
  loginPage,
  page,
  playwright,
  searchPage,
}) => {
  await logstead.ingest(['needle in a haystack']);
  await searchPage.open({ q: 'needle', refresh: 'live' });
  await searchPage.editor();
  await expect(searchPage.message('needle in a haystack')).toBeVisible();
  await searchPage.query.fill('needle OR half a thought');

  // Meanwhile a request is pending.
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/v1/search', async (route) => {
    await released;
    await route.continue();
  });
  await searchPage.query.blur();
  await page.keyboard.press('r');

  const storageState = await page.context().storageState();
  const elsewhere = await playwright.request.newContext({ storageState });
  const session = logstead.url('/api/v1/session');
  const { csrf_token: token } = (await (await elsewhere.get(session)).json()) as {
    csrf_token: string;
  };
  await elsewhere.delete(session, { headers: { 'X-CSRF-Token': token } });
  await elsewhere.dispose();
  const refused = page.waitForResponse((response) => response.url().endsWith('/api/v1/search'));
  release();
  expect((await refused).status()).toBe(401);
  await page.unroute('**/api/v1/search');

  await expect(loginPage.ended).toBeVisible(SOON);
  await expect(loginPage.ended.getByLabel('Name')).toHaveValue(admin.name);
  // The page behind the dialog waits, and does not mention tokens or errors.
  await expect(page.getByText(/API token|has an error/)).toHaveCount(0);
  await expect(searchPage.message('needle in a haystack')).toBeVisible();
  await loginPage.signInAgain(admin.password);
  await expect(loginPage.ended).toBeHidden();
  expect(await searchPage.written()).toBe('needle OR half a thought');

  await logstead.ingest(['needle in a pillow']);
  await expect(searchPage.message('needle in a pillow')).toBeVisible();
});
