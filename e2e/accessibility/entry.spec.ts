// Keywords: axe, contrast, screen reader, dark theme, login, account, administration, help.
import type { Page } from '@playwright/test';
import { expect, test } from '../logstead';
import { admin } from '../server';
import { LOOKS, button, expectAccessible, over, sendSome } from './axe';

test.describe('accessible in both themes', () => {
  test.describe.configure(LOOKS);
  test.use({ colorScheme: 'light' });

  test.describe('before login', () => {
    test.use({ signedIn: false });

    test('login', async ({ loginPage, page }) => {
      await loginPage.open();
      await expect(loginPage.signInButton).toBeVisible();
      await expectAccessible(page, 'login');
      await loginPage.signIn('admin', 'wrong');
      await expect(loginPage.alert).toBeVisible();
      await expectAccessible(page, 'login refused');
    });

    test.describe('on the first start', () => {
      test.use({ server: { administrator: false } });

      test('set-up', async ({ logstead, loginPage, page, welcomePage }) => {
        await loginPage.open();
        await expect(loginPage.createButton).toBeVisible();
        await expectAccessible(page, 'set-up');

        await loginPage.createAdministrator(logstead.setupCode, 'ana', 'a long enough password');
        for (const way of ['logger', 'nc', 'curl', 'rsyslog', 'syslog-ng']) {
          await page.getByRole('tab', { name: way }).click();
          await expectAccessible(page, `first message by ${way}`);
        }
        await welcomePage.lookStep.click();
        await expectAccessible(page, 'nothing to look at yet');
        await logstead.sendTcp('<13>1 - web-1 ana - - - hello logstead');
        await expect(button(page, 'Open Search')).toBeVisible();
        await expectAccessible(page, 'look at it');
        await welcomePage.sendStep.click();
        await expect(welcomePage.arrived).toBeVisible();
        await expectAccessible(page, 'arrived');
      });
    });
  });

  test('the frame', async ({ logstead, page, searchPage }) => {
    await page.goto(logstead.url('/no-such-page'));
    await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
    await expectAccessible(page, 'not found');

    await endsSoon(page);
    await searchPage.open();
    await expect(button(page, 'Stay signed in')).toBeVisible();
    await expectAccessible(page, 'the session ends soon');
    await page.unrouteAll({ behavior: 'wait' });
    await button(page, 'Stay signed in').click();
    await expect(page.getByText('You stay signed in')).toBeVisible();
    await expectAccessible(page, 'a notification');

    // The frame polls the server's health, and so notices the end of the session by itself.
    await page.context().clearCookies();
    await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
    await expectAccessible(page, 'the session has ended');
  });

  test('account', async ({ accountPage, loginPage, page }) => {
    await accountPage.open();
    await expect(accountPage.sessions.getByText('This session')).toBeVisible();
    await expectAccessible(page, 'account');
    await accountPage.button('Set up').click();
    await expectAccessible(page, 'password before a second factor');
    const app = await accountPage.scan(admin.password);
    await expectAccessible(page, 'QR code');
    await accountPage.confirm(app.code());
    await expectAccessible(page, 'recovery codes');
    await accountPage.button('I have kept them').click();
    await expect(page.getByText('10 recovery codes are left.')).toBeVisible();
    await expectAccessible(page, 'account with a second factor');
    await loginPage.signOut(admin.name);
    await loginPage.signIn(admin.name, admin.password);
    await expect(page.getByRole('textbox', { name: 'Code' })).toBeVisible();
    await expectAccessible(page, 'login asks for a code');
  });

  test('admin', async ({ adminPage, logstead, page }) => {
    await sendSome(logstead);
    const password = 'a long enough password';
    await logstead.addUser({ name: 'ana', role: 'analyst', password, scope: 'host:host-1' });
    await logstead.makeToken('shipper');
    await adminPage.open({ user: 'ana' });
    await expect(adminPage.preview.getByText('of 8 messages')).toBeVisible();
    await expectAccessible(page, 'users and tokens, with a user');
    await adminPage.menu('ana', /^Delete/);
    await expect(adminPage.dialog).toBeVisible();
    await expectAccessible(page, 'before a user is deleted', over(page));
    await adminPage.open({ new: 'user' });
    await adminPage.chooseLogspaces('main', 'security');
    await expect(adminPage.preview.getByText('of 8 messages')).toBeVisible();
    await expectAccessible(page, 'a new user');
    await adminPage.open({ new: 'token' });
    await adminPage.panel.getByLabel('Name', { exact: true }).fill('another');
    await adminPage.button('Create token').click();
    await expect(page.getByLabel('Secret of another')).toBeVisible();
    await expectAccessible(page, 'a secret');
    await adminPage.open({ find: 'no such account' });
    await expect(page.getByText('No user matches')).toBeVisible();
    await expectAccessible(page, 'nothing found');
    for (const tab of ['settings', 'certificates', 'server']) {
      await adminPage.open({ tab });
      await expect(page.getByRole('heading', { level: 1, name: 'Admin' })).toBeVisible();
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
      await expectAccessible(page, tab);
    }
    await adminPage.button('Make a report').click();
    await expect(adminPage.report.getByRole('group', { name: 'What it is' })).toBeVisible();
    await expectAccessible(page, 'a support report');
    await adminPage.show('Sessions');
    await adminPage.open({ tab: 'sessions' });
    await expect(page.getByText('This session')).toBeVisible();
    await expectAccessible(page, 'sessions');
    await adminPage.open({ tab: 'audit' });
    await expect(adminPage.audit.getByRole('cell', { name: 'token.create' }).first()).toBeVisible();
    await expectAccessible(page, 'audit');
    await adminPage.open({ tab: 'audit', q: 'action:(' });
    await expect(adminPage.audit.getByRole('alert')).toBeVisible();
    await expectAccessible(page, 'audit refused');
  });

  test('help', async ({ logstead, page }) => {
    await page.goto(logstead.url('/help?doc=console&part=router'));
    await expect(page.getByRole('heading', { name: 'Router', exact: true })).toBeVisible();
    await expectAccessible(page, 'guide');
    await page.goto(logstead.url('/help/api'));
    await expect(page.getByRole('heading', { name: 'Choose an operation' })).toBeVisible();
    await expectAccessible(page, 'operations');
    await page.goto(logstead.url('/help/api?op=get_router_status'));
    await button(page, 'Try it').click();
    await expect(page.getByRole('region', { name: 'Body of the answer' })).toBeVisible();
    await expectAccessible(page, 'an operation');
    await page.goto(logstead.url('/help/api?op=put_router'));
    await expect(page.getByRole('article')).toContainText('only as a command');
    await expectAccessible(page, 'an operation with a body');
  });
});

/** Makes the server's answers say that the session is about to end. */
async function endsSoon(page: Page): Promise<void> {
  const expires_at = new Date(Date.now() + 110_000).toISOString();
  await page.route('**/api/v1/session', async (route) => {
    const response = await route.fetch();
    const session = (await response.json()) as object;
    await route.fulfill({ response, json: { ...session, expires_at } });
  });
}
