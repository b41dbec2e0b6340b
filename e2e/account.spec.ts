// Keywords: password, second factor, sessions.
import { expect, test } from './logstead';
import { admin } from './server';

test('a second factor is set up, asked for, and replaced by a recovery code once', async ({
  accountPage,
  loginPage,
  page,
  searchPage,
}) => {
  await accountPage.open();
  await accountPage.button('Set up').click();
  const app = await accountPage.scan(admin.password);
  const codes = await accountPage.confirm(app.code());
  expect(codes).toHaveLength(10);
  await accountPage.button('I have kept them').click();
  await expect(page.getByText('10 recovery codes are left.')).toBeVisible();

  await loginPage.signOut(admin.name);
  await loginPage.open('/search');
  await loginPage.signIn(admin.name, admin.password);
  await expect(page.getByRole('textbox', { name: 'Code' })).toBeFocused();
  await loginPage.giveCode('000000');
  await expect(loginPage.alert).toContainText('This code is wrong');
  await loginPage.giveCode(app.code(1));
  await expect(searchPage.query).toBeVisible();

  await loginPage.signOut(admin.name);
  await loginPage.signIn(admin.name, admin.password);
  await loginPage.giveCode(codes[0] ?? '');
  await expect(searchPage.query).toBeVisible();
  await accountPage.open();
  await expect(page.getByText('9 recovery codes are left.')).toBeVisible();
});

test('sessions are listed, and others are ended', async ({ accountPage, browser, logstead }) => {
  const context = await browser.newContext({ userAgent: 'curl/8.14.1' });
  await context.request.post(logstead.url('/api/v1/session'), { data: admin });
  await accountPage.open();
  await expect(accountPage.sessions.getByRole('row')).toHaveCount(3);
  await expect(accountPage.sessions.getByText('This session')).toHaveCount(1);
  await accountPage.button('End the session of curl from 127.0.0.1').click();
  await expect(accountPage.sessions.getByRole('row')).toHaveCount(2);
  const seen = await context.request.get(logstead.url('/api/v1/account'));
  expect(seen.status()).toBe(401);
  await expect(accountPage.button('End all others')).toBeDisabled();
  await context.close();
});

test('the page is reached by the keyboard and by the palette', async ({ page, searchPage }) => {
  await searchPage.open();
  await expect(searchPage.query).toBeVisible();
  await page.getByRole('navigation', { name: 'Pages' }).focus();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await expect(page.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible();
  await searchPage.open();
  await expect(searchPage.query).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('second factor');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible();
});

test.describe('a role that needs a second factor', () => {
  test.use({ server: { settings: ['accounts.second_factor=admin'] } });

  test('sets it up before anything else', async ({ accountPage, page, searchPage }) => {
    await accountPage.open();
    await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
    const app = await accountPage.scan(admin.password);
    await accountPage.confirm(app.code());
    await accountPage.button('I have kept them').click();
    await expect(page.getByText('Users with the role admin need it.')).toBeVisible();
    await searchPage.open();
    await expect(searchPage.query).toBeVisible();
  });
});
