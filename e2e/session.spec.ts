// Keywords: login, logout, expiry.
import { expect, test } from './logstead';
import { admin } from './server';

test.use({ signedIn: false });

test('nothing is shown before login, and afterwards the page that was asked for', async ({
  logstead,
  loginPage,
  searchPage,
}) => {
  await logstead.ingest(['for members only']);
  await loginPage.open('/search?q=members');
  await expect(loginPage.signInButton).toBeVisible();
  await expect(searchPage.messages).toBeHidden();

  await loginPage.signIn(admin.name, admin.password);
  await expect(searchPage.message('for members only')).toBeVisible();
});

test('a wrong password is refused', async ({ loginPage, searchPage }) => {
  await loginPage.open();
  await loginPage.signIn(admin.name, 'wrong');
  await expect(loginPage.alert).toContainText('wrong');
  await expect(searchPage.query).toBeHidden();
});

test('signing out ends the session, not only the page', async ({ loginPage, page, searchPage }) => {
  await loginPage.open();
  await loginPage.signIn(admin.name, admin.password);
  await expect(searchPage.query).toBeVisible();

  await loginPage.signOut(admin.name);
  await expect(loginPage.signInButton).toBeVisible();
  await page.reload();
  await expect(loginPage.signInButton).toBeVisible();
});

test('the API answers nobody without login, and no cookie without its CSRF token', async ({
  logstead,
  page,
}) => {
  const search = () => page.request.post(logstead.url('/api/v1/search'), { data: { query: '*' } });
  expect((await search()).status()).toBe(401);
  await page.request.post(logstead.url('/api/v1/session'), { data: admin });
  expect((await search()).status()).toBe(403);
});

test.describe('a new data directory', () => {
  test.use({ server: { administrator: false } });

  test('asks for the printed code and creates the administrator', async ({
    logstead,
    loginPage,
    page,
    searchPage,
  }) => {
    await loginPage.open();
    await loginPage.createAdministrator('not-the-code', 'ana', admin.password);
    await expect(loginPage.alert).toBeVisible();

    // The code as people type it.
    const typed = logstead.setupCode.replaceAll('-', '').toLowerCase();
    await loginPage.createAdministrator(typed, 'ana', admin.password);
    await expect(page.getByRole('heading', { name: 'Send a test message' })).toBeVisible();
    await loginPage.skipSetUp();
    await expect(searchPage.query).toBeVisible();

    await page.context().clearCookies();
    await loginPage.open();
    await loginPage.signIn('ana', admin.password);
    await expect(searchPage.query).toBeVisible();
  });

  test('the link with the setup code is enough, also without its dashes', async ({
    logstead,
    loginPage,
    page,
    searchPage,
  }) => {
    await loginPage.open(`/setup#${logstead.setupCode.replaceAll('-', '').toLowerCase()}`);
    await expect(page.getByLabel('Setup code')).toHaveValue(logstead.setupCode);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await loginPage.createButton.click();
    await loginPage.skipSetUp();
    await expect(searchPage.query).toBeVisible();

    await loginPage.open('/setup');
    await expect(page).toHaveURL(/\/overview$/);
  });
});
