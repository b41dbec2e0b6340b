// Keywords: OpenID Connect, single sign-on.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test as base } from './logstead';
import { OpenIdProvider, client, freePort } from './provider';
import { admin } from './server';

interface Fixtures {
  algorithm: 'RS256' | 'ES256';
  /** The port on which the console will listen, which a provider has to know. */
  port: number;
  provider: OpenIdProvider;
}

const test = base.extend<Fixtures>({
  signedIn: false,
  algorithm: ['RS256', { option: true }],
  port: async ({}, use) => {
    await use(await freePort());
  },
  provider: async ({ algorithm, port }, use) => {
    const redirect = `http://127.0.0.1:${port}/api/v1/oidc/corp/callback`;
    const provider = await OpenIdProvider.start(redirect, algorithm);
    await use(provider);
    await provider.stop();
  },
  server: async ({ port, provider }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'logstead-oidc-'));
    const secret = join(folder, 'client-secret');
    await writeFile(secret, `${client.secret}\n`);
    const config = `
[web]
public_url = "http://127.0.0.1:${port}"

[[accounts.oidc]]
id = "corp"
label = "Example SSO"
issuer = "${provider.issuer}"
client_id = "${client.id}"
client_secret_file = "${secret}"
timeout = "5s"

[[accounts.oidc.grants]]
group = "Log-Operators"
role = "operator"

[[accounts.oidc.grants]]
group = "log-readers"
role = "analyst"
logspaces = ["main"]
scope = "program:app"
`;
    await use({ config, settings: [`web.listen=127.0.0.1:${port}`] });
    await rm(folder, { recursive: true, force: true });
  },
});

/** Logs in on the pages of the provider. */
async function logInThere(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('anything');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const link = (page: Page) => page.getByRole('link', { name: 'Sign in with Example SSO' });

test('who the provider knows comes back to the page that was asked for, with the rights of a group', async ({
  loginPage,
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(
    '<13>1 - web-1 app - - - hello to readers',
    '<13>1 - web-1 secret - - - hello to nobody',
  );
  await expect.poll(() => logstead.count('hello')).toBe(2);
  await loginPage.open('/search?q=hello');
  await link(page).click();
  await logInThere(page, 'ana');
  await expect(searchPage.message('hello to readers')).toBeVisible();
  await expect(searchPage.message('hello to nobody')).toBeHidden();
  await page.getByRole('button', { name: 'User: ana' }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await expect(page.getByText('ana, analyst, in main, limited to program:app')).toBeVisible();
  await expect(page.getByText('You sign in with corp')).toBeVisible();
});

test.describe('with keys of the other kind', () => {
  test.use({ algorithm: 'ES256' });

  test('a provider that changes its keys is believed again at once', async ({
    loginPage,
    page,
    provider,
  }) => {
    await loginPage.open();
    await link(page).click();
    await logInThere(page, 'ops');
    await expect(page.getByRole('button', { name: 'User: ops' })).toBeVisible();
    await loginPage.signOut('ops');
    await provider.rotate();
    await page.context().clearCookies();
    await loginPage.open();
    await link(page).click();
    await logInThere(page, 'ops');
    await expect(page.getByRole('button', { name: 'User: ops' })).toBeVisible();
  });
});

test('a person without a group, or who cancels, is told so and stays out', async ({
  loginPage,
  page,
}) => {
  await loginPage.open('/search?q=a');
  await link(page).click();
  await logInThere(page, 'cy');
  await expect(loginPage.alert).toContainText('in no group');
  await page.context().clearCookies();
  await link(page).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(loginPage.alert).toContainText('cancelled');
  await expect(page).toHaveURL(/\/search\?q=a&sso=denied$/);
});

test('an address that a login came back to is of no use in another browser, nor a second time', async ({
  browser,
  loginPage,
  page,
}) => {
  const callback = page.waitForRequest(/\/callback\?/);
  await loginPage.open();
  await link(page).click();
  await logInThere(page, 'ana');
  const address = (await callback).url();
  await expect(page.getByRole('button', { name: 'User: ana' })).toBeVisible();

  const stranger = await browser.newPage();
  await stranger.goto(address);
  await expect(stranger.getByRole('alert')).toContainText('in another browser');
  await stranger.close();
  await page.context().clearCookies({ name: 'logstead_session' });
  await page.goto(address);
  await expect(loginPage.alert).toContainText('took too long');
});

test('when the provider is away, an administrator of our own can log in', async ({
  loginPage,
  page,
  provider,
  searchPage,
}) => {
  await provider.stop();
  await loginPage.open();
  await link(page).click();
  await expect(loginPage.alert).toContainText('sign-in failed');
  await loginPage.signIn(admin.name, admin.password);
  await expect(searchPage.query).toBeVisible();
});
