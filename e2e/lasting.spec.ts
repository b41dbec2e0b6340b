import { expect, test } from './logstead';
import { admin } from './server';

/** The page asks every five seconds whether the server is there. */
const SOON = { timeout: 20_000 };

test('a page says that the server is away, and goes on by itself when it is back', async ({
  logstead,
  searchPage,
}) => {
  await logstead.ingest(['needle before']);
  await searchPage.open({ q: 'needle' });
  await expect(searchPage.message('needle before')).toBeVisible();

  await logstead.kill();
  await expect(searchPage.away).toBeVisible(SOON);
  await expect(searchPage.message('needle before')).toBeVisible();

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

  const storageState = await page.context().storageState();
  const elsewhere = await playwright.request.newContext({ storageState });
  const session = logstead.url('/api/v1/session');
  const { csrf_token: token } = (await (await elsewhere.get(session)).json()) as {
    csrf_token: string;
  };
  await elsewhere.delete(session, { headers: { 'X-CSRF-Token': token } });
  await elsewhere.dispose();

  await expect(loginPage.ended).toBeVisible(SOON);
  await expect(loginPage.ended.getByLabel('Name')).toHaveValue(admin.name);
  await loginPage.signInAgain(admin.password);
  await expect(loginPage.ended).toBeHidden();
  expect(await searchPage.written()).toBe('needle OR half a thought');

  await logstead.ingest(['needle in a pillow']);
  await expect(searchPage.message('needle in a pillow')).toBeVisible();
});
