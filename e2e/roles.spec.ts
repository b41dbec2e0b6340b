// Keywords: permissions, roles, hidden actions.
import type { Page } from '@playwright/test';
import { expect, test } from './logstead';
import { type Account, type Logstead, defaultRouter } from './server';

const password = 'a long enough password';

async function signInAs(page: Page, logstead: Logstead, account: Account): Promise<void> {
  await logstead.addUser(account);
  await page.context().clearCookies();
  const { name } = account;
  const data = { name, password };
  const response = await page.request.post(logstead.url('/api/v1/session'), { data });
  expect(response.status(), `sign in as ${name}`).toBe(200);
}

for (const [role, mayEdit] of [
  ['admin', true],
  ['operator', true],
  ['analyst', false],
] as const) {
  test(`the router is ${mayEdit ? 'changed' : 'looked at, not changed,'} by the role ${role}`, async ({
    logstead,
    page,
    routerPage,
  }) => {
    await signInAs(page, logstead, { name: 'ana', role, password });
    await routerPage.open();
    await expect(routerPage.liveRevision(1)).toBeVisible();
    if (mayEdit) {
      await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
      await routerPage.apply('keep logins apart');
      await expect(routerPage.liveRevision(2)).toBeVisible();
    } else {
      await expect(page.getByText('Changing the router needs the operator or admin')).toBeVisible();
      await expect(routerPage.button('Apply…')).toBeHidden();
      await expect(routerPage.button('Add route')).toBeHidden();
      await routerPage.showHistory();
      await expect(routerPage.revision(1)).toBeVisible();
      await expect(page.getByRole('button', { name: 'Roll back' })).toBeHidden();
    }
  });
}

test('users are made by administrators, and others are told which role it needs', async ({
  logstead,
  page,
}) => {
  for (const role of ['operator', 'analyst'] as const) {
    const name = `some-${role}`;
    await logstead.addUser({ name, role, password });
    const session = await page.request.post(logstead.url('/api/v1/session'), {
      data: { name, password },
    });
    const { csrf_token } = (await session.json()) as { csrf_token: string };
    const refused = await page.request.post(logstead.url('/api/v1/users'), {
      headers: { 'X-CSRF-Token': csrf_token },
      data: { name: 'another', role: 'admin', password },
    });
    expect(refused.status()).toBe(403);
    expect(await refused.text()).toContain('admin');
  }
});

test.describe('an analyst with a grant', () => {
  const audit = '[[logspaces]]\nid = "audit"\nretention = { age = "90d" }\n';
  test.use({ server: { router: `${defaultRouter}\n${audit}` } });

  test('of some logspaces finds nothing of another, and is told who can grant it', async ({
    logstead,
    page,
    searchPage,
  }) => {
    await logstead.ingest(['needle in main'], 'main');
    await logstead.ingest(['needle in security'], 'security');
    const other = (await logstead.search('needle')).find(({ logspace }) => logspace === 'main');
    await signInAs(page, logstead, {
      name: 'ben',
      role: 'analyst',
      password,
      logspaces: ['security', 'audit'],
    });

    await searchPage.open({ q: 'needle', refresh: 'off' });
    await expect(searchPage.message('needle in security')).toBeVisible();
    await expect(searchPage.message('needle in main')).toBeHidden();
    await expect(page.getByText('1 message', { exact: true })).toBeVisible();

    await page.getByRole('button', { name: /^Logspaces:/ }).click();
    await expect(page.getByRole('checkbox', { name: /^security/ })).toBeVisible();
    await expect(page.getByRole('checkbox', { name: /^audit/ })).toBeVisible();
    await expect(page.getByRole('checkbox', { name: /^main/ })).toBeHidden();

    await searchPage.open({ q: 'needle', open: other?.id ?? '', refresh: 'off' });
    await expect(page.getByText(/not in the store|not granted/)).toBeVisible();
    await expect(page.getByText('needle in main')).toBeHidden();

    await searchPage.open({ q: 'needle', logspace: 'main', refresh: 'off' });
    await expect(searchPage.alert.first()).toContainText('an administrator can grant it');
  });

  test('with a scope finds only what the scope allows', async ({ logstead, page, searchPage }) => {
    await logstead.sendTcp(
      '<14>1 - web-1 app 1 - - needle of the web',
      '<14>1 - db-1 app 1 - - needle of the database',
    );
    await expect.poll(() => logstead.count('needle')).toBe(2);
    const hidden = (await logstead.search('needle host:db-1'))[0];
    await signInAs(page, logstead, {
      name: 'cleo',
      role: 'analyst',
      password,
      scope: 'host:web-*',
    });
    await searchPage.open({ q: 'needle', refresh: 'off' });
    await expect(searchPage.message('needle of the web')).toBeVisible();
    await expect(searchPage.message('needle of the database')).toBeHidden();
    await searchPage.open({ q: 'needle OR host:db-1', refresh: 'off' });
    await expect(page.getByText('1 message', { exact: true })).toBeVisible();
    await searchPage.open({ open: hidden?.id ?? '', refresh: 'off' });
    await expect(page.getByText('This message is not in the store.')).toBeVisible();
  });
});
