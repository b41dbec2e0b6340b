// Keywords: users, tokens, audit, settings.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expect, test } from './logstead';
import { type Logstead, admin, binary, defaultRouter } from './server';

const password = 'a long enough password';

async function sendSome(logstead: Logstead): Promise<void> {
  await logstead.sendTcp(
    '<11>1 - shop-1 pay 1 - - payment declined',
    '<14>1 - shop-2 pay 1 - - order placed',
    '<14>1 - build-1 make 1 - - target is up to date',
  );
  await logstead.ingest(['a login'], 'security');
  await expect.poll(() => logstead.count('*')).toBe(4);
}

/** Whether the server accepts a message with this secret. */
async function sends(logstead: Logstead, secret: string, text: string): Promise<number> {
  const response = await fetch(logstead.url('/api/v1/ingest'), {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'text/plain' },
    body: text,
  });
  return response.status;
}

/** The default router document plus a source whose certificate is in the folder. */
function encrypted(folder: string): string {
  const tls = `{ certificate = "${folder}/web.pem", key = "${folder}/web.key" }`;
  const source = `id = "safe"\nkind = "syslog"\nlisten = ["tls://127.0.0.1:0"]\ntls = ${tls}`;
  return `${defaultRouter}\n[[sources]]\n${source}\n`;
}

async function signIn(page: Page, logstead: Logstead, name: string): Promise<void> {
  await page.context().clearCookies();
  const response = await page.request.post(logstead.url('/api/v1/session'), {
    data: { name, password },
  });
  expect(response.status(), `sign in as ${name}`).toBe(200);
}

test('a new analyst sees what the preview of the grant promised', async ({
  adminPage,
  logstead,
  page,
  searchPage,
}) => {
  await sendSome(logstead);
  await adminPage.open();
  await adminPage.button('New user').click();
  await adminPage.panel.getByLabel('Name', { exact: true }).fill('lena');
  await adminPage.panel.getByLabel('Password', { exact: true }).fill(password);
  await adminPage.chooseLogspaces('main', 'security');
  await adminPage.limitTo('host:shop-*');
  await expect(adminPage.preview.getByText('of 4 messages, 50 %')).toBeVisible();
  await expect(adminPage.preview.getByText('security gives lena nothing')).toBeVisible();
  await expect(adminPage.preview.getByText('payment declined')).toBeVisible();
  await expect(adminPage.preview.getByText('target is up to date')).toBeHidden();
  await adminPage.button('Create user').click();
  await expect(adminPage.row(adminPage.users, 'lena')).toContainText(
    'host:shop-* in main, security',
  );

  await signIn(page, logstead, 'lena');
  await searchPage.open({ q: '*', refresh: 'off' });
  await expect(searchPage.message('payment declined')).toBeVisible();
  await expect(searchPage.message('target is up to date')).toBeHidden();
  await expect(page.getByText('2 messages', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Admin' })).toBeHidden();
  await adminPage.open();
  await expect(page.getByRole('heading', { name: 'Admin is for administrators' })).toBeVisible();
});

test('a logspace that gives nothing is taken out of the grant, which counts at once', async ({
  adminPage,
  logstead,
}) => {
  await sendSome(logstead);
  const logspaces = ['main', 'security'];
  const scope = 'host:shop-*';
  await logstead.addUser({ name: 'lena', role: 'analyst', password, logspaces, scope });
  await adminPage.open({ user: 'lena' });
  await adminPage.preview.getByRole('button', { name: 'Remove' }).click();
  await expect(
    adminPage.panel.getByRole('checkbox', { name: 'security', exact: true }),
  ).not.toBeChecked();
  await adminPage.button('Save').click();
  await expect(adminPage.row(adminPage.users, 'lena')).toContainText('host:shop-* in main');
  await expect(adminPage.button('Save')).toBeDisabled();
});

test('what is wrong with a new user is said where it is, and nothing is lost', async ({
  adminPage,
}) => {
  await adminPage.open({ new: 'user' });
  await adminPage.panel.getByLabel('Name', { exact: true }).fill('Lena Fischer');
  await adminPage.panel.getByLabel('Password', { exact: true }).fill(password);
  await adminPage.button('Create user').click();
  await expect(adminPage.panel.getByLabel('Name', { exact: true })).toHaveAccessibleDescription(
    /begins with a letter/,
  );
  await expect(adminPage.panel.getByLabel('Password', { exact: true })).toHaveValue(password);
  await adminPage.panel.getByLabel('Name', { exact: true }).fill('lena');
  await adminPage.limitTo('host:(');
  await adminPage.button('Create user').click();
  await expect(adminPage.panel.getByRole('alert').first()).toBeVisible();
  await expect(adminPage.users).not.toContainText('lena');
});

test('a user is disabled, enabled, and deleted by name', async ({ adminPage, logstead, page }) => {
  await logstead.addUser({ name: 'ben', role: 'analyst', password });
  const session = { data: { name: 'ben', password } };
  const login = async () =>
    (
      await page.request.fetch(logstead.url('/api/v1/session'), { method: 'POST', ...session })
    ).status();
  await adminPage.open({ user: 'ben' });
  await adminPage.menu('ben', /^Disable/);
  await expect(adminPage.dialog).toContainText('ben cannot sign in until you enable them again');
  await adminPage.dialog.getByRole('button', { name: 'Disable' }).click();
  await expect(adminPage.row(adminPage.users, 'ben')).toContainText('disabled');
  const refused = await fetch(logstead.url('/api/v1/session'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(session.data),
  });
  expect(refused.status).toBe(401);
  await adminPage.menu('ben', /^Enable/);
  await expect(adminPage.row(adminPage.users, 'ben')).not.toContainText('disabled');

  await adminPage.menu('ben', /^Delete/);
  const confirm = adminPage.dialog.getByRole('button', { name: 'Delete user' });
  await expect(confirm).toBeDisabled();
  await adminPage.dialog.getByLabel(/^Type ben/).fill('be');
  await expect(confirm).toBeDisabled();
  await adminPage.dialog.getByLabel(/^Type ben/).fill('ben');
  await confirm.click();
  await expect(adminPage.panel).toBeHidden();
  await expect(adminPage.users).not.toContainText('ben');
  expect(await login()).toBe(401);
});

test('a rotated token sends with the old secret and with the new one, a revoked one with neither', async ({
  adminPage,
  logstead,
}) => {
  await adminPage.open();
  await adminPage.button('New token').click();
  await adminPage.panel.getByLabel('Name', { exact: true }).fill('shipper');
  await adminPage.button('Create token').click();
  const first = await adminPage.secret('shipper');
  expect(await sends(logstead, first, 'with the first')).toBe(200);

  await adminPage.panel.getByRole('button', { name: 'Rotate…' }).click();
  await adminPage.dialog.getByLabel(/^The present secret works/).selectOption('7 days');
  await adminPage.button('Make a new secret').click();
  await expect(adminPage.dialog).toContainText('The former secret works for another 7 days');
  const second = await adminPage.secret('shipper');
  expect(second).not.toBe(first);
  expect(await sends(logstead, first, 'with the first, still')).toBe(200);
  expect(await sends(logstead, second, 'with the second')).toBe(200);
  await expect(adminPage.row(adminPage.tokens, 'shipper')).toContainText('two secrets');
  expect(await logstead.count('with')).toBe(3);

  await adminPage.panel.getByRole('button', { name: 'Revoke…' }).click();
  await adminPage.dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(adminPage.tokens).not.toContainText('shipper');
  expect(await sends(logstead, first, 'no more')).toBe(401);
  expect(await sends(logstead, second, 'no more')).toBe(401);
});

test('a token is limited, and ends on its day', async ({ adminPage }) => {
  await adminPage.open({ new: 'token' });
  await adminPage.panel.getByLabel('Name', { exact: true }).fill('grafana');
  await adminPage.panel.getByRole('radio', { name: 'analyst' }).click();
  await adminPage.chooseLogspaces('main');
  await adminPage.limitTo('severity<=warning');
  await adminPage.panel.getByLabel('Expires').selectOption('In 30 days');
  await adminPage.panel.getByLabel('Messages a second').fill('500');
  await adminPage.button('Create token').click();
  await adminPage.secret('grafana');
  await expect(adminPage.panel).toContainText('500 messages/s');
  await expect(adminPage.row(adminPage.tokens, 'grafana')).toContainText(
    'severity<=warning in main',
  );
});

test('tables are searched and sorted, and the address says how', async ({
  adminPage,
  logstead,
  page,
}) => {
  await logstead.addUser({ name: 'ana', role: 'operator', password });
  await logstead.addUser({ name: 'ben', role: 'analyst', password, scope: 'host:web-*' });
  await adminPage.open();
  const names = () => adminPage.users.getByRole('rowheader').allInnerTexts();
  await expect.poll(async () => (await names()).length).toBe(3);
  await adminPage.users.getByRole('button', { name: 'Name' }).click();
  await expect(page).toHaveURL(/sort=-name/);
  await expect.poll(async () => (await names())[0]).toContain('ben');
  await page.keyboard.press('/');
  await page.keyboard.type('web');
  await expect.poll(async () => (await names()).length).toBe(1);
  await expect(page).toHaveURL(/find=web/);
  await page.reload();
  await expect.poll(async () => (await names()).length).toBe(1);
});

test('a session of another user is ended', async ({ adminPage, browser, logstead }) => {
  await logstead.addUser({ name: 'ana', role: 'analyst', password });
  const other = await browser.newContext();
  const theirs = await other.newPage();
  await signIn(theirs, logstead, 'ana');
  await adminPage.open({ tab: 'sessions' });
  await expect(adminPage.row(adminPage.sessions, admin.name)).toContainText('This session');
  await adminPage.button(/^End the session of ana/).click();
  await expect(adminPage.row(adminPage.sessions, 'ana')).toBeHidden();
  const response = await theirs.request.get(logstead.url('/api/v1/logspaces'));
  expect(response.status()).toBe(401);
  await other.close();
});

test('the audit log answers queries, and says what it does not understand', async ({
  adminPage,
  logstead,
  page,
}) => {
  await logstead.addUser({ name: 'ana', role: 'analyst', password });
  await logstead.makeToken('shipper');
  await adminPage.open();
  await adminPage.show('Audit');
  await expect(page).toHaveURL(/tab=audit/);
  await expect(adminPage.audit.getByRole('cell', { name: 'token.create' })).toBeVisible();
  await expect(adminPage.audit.getByRole('cell', { name: /^ana, role analyst/ })).toBeVisible();

  const query = adminPage.audit.getByRole('textbox', { name: 'Query of the audit log' });
  await query.click();
  await page.keyboard.type('action:token.create');
  await page.keyboard.press('Enter');
  await expect(adminPage.audit.getByText('1 action', { exact: true })).toBeVisible();
  await expect(adminPage.audit.getByRole('cell', { name: /^shipper/ })).toBeVisible();

  await adminPage.open({ tab: 'audit', q: 'action:(' });
  await expect(adminPage.audit.getByRole('alert')).toBeVisible();
  await adminPage.open({ tab: 'audit', q: 'action:nothing.like.this' });
  await adminPage.button('Show all actions').click();
  await expect(adminPage.audit.getByRole('cell', { name: 'token.create' })).toBeVisible();
});

test('the panel opens and closes by keys, and the focus comes back', async ({
  adminPage,
  page,
}) => {
  await adminPage.open();
  await adminPage.users.getByRole('link', { name: admin.name }).focus();
  await page.keyboard.press('Enter');
  await expect(
    adminPage.panel.getByRole('heading', { name: admin.name, exact: true }),
  ).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(adminPage.panel).toBeHidden();
  await expect(adminPage.users.getByRole('link', { name: admin.name })).toBeFocused();
  await page.keyboard.press('n');
  await expect(adminPage.panel.getByRole('heading', { name: 'New user' })).toBeFocused();
});

test('the licences of what the server contains are one click away', async ({ adminPage, page }) => {
  await adminPage.open({ tab: 'server' });
  await page.getByRole('link', { name: 'Apache License 2.0' }).click();
  await expect(page.getByRole('heading', { name: 'Licences' })).toBeVisible();
  await expect(page.getByRole('row', { name: /^tantivy-sstable MIT/ })).toBeVisible();
});

test('a support report is read before it is saved, and holds no secret', async ({
  adminPage,
  logstead,
  page,
}) => {
  await sendSome(logstead);
  await adminPage.open({ tab: 'server' });
  await adminPage.button('Make a report').click();
  const { report } = adminPage;
  await expect(report.getByRole('group', { name: 'What it is' })).toContainText('read it before');
  await report.getByRole('button', { name: 'Router document' }).click();
  const shown = report.getByRole('group', { name: 'Router document' });
  await expect(shown).toContainText('"logspaces"');

  const started = page.waitForEvent('download');
  await adminPage.button('Save').click();
  const file = await started;
  expect(file.suggestedFilename()).toMatch(/^logstead-support-\d{4}-\d\d-\d\dT[\d-]+\.txt$/);
  const text = await readFile(await file.path(), 'utf8');
  expect(text).toContain(await shown.innerText());
  expect(text).toContain('"host":"shop-1"');
  expect(text).not.toContain('payment declined');
  expect(text).not.toContain(admin.password);
});

test.describe('with settings of its own', () => {
  test.use({ server: { settings: ['limits.tails_max=7'] } });

  test('a setting says what it means and where it is from', async ({ adminPage, page }) => {
    await adminPage.open({ tab: 'settings' });
    const { settings } = adminPage;
    await expect(settings.getByRole('row', { name: /^log\.level/ })).toContainText('as shipped');
    await settings.getByLabel('Find a setting').fill('tails_max');
    const row = settings.getByRole('row', { name: /^limits\.tails_max/ });
    await expect(row).toContainText('7');
    await expect(row).toContainText('--set limits.tails_max');
    await expect(settings.getByRole('row')).toHaveCount(2);

    await settings.getByLabel('Find a setting').fill('');
    await settings.getByLabel('Changed only').check();
    await expect(page).toHaveURL(/changed=yes/);
    await expect(settings.getByRole('row', { name: /^log\.level/ })).toBeHidden();
    await expect(row).toBeVisible();
  });
});

test('without certificates, the page says how to make one', async ({ adminPage }) => {
  await adminPage.open({ tab: 'certificates' });
  await expect(adminPage.certificates.getByText('No certificate is in use')).toBeVisible();
  await expect(adminPage.certificates.getByText('logstead tls self-signed')).toBeVisible();
});

test.describe('with an encrypted source', () => {
  test.use({
    server: async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'logstead-e2e-tls-'));
      const options = ['--name', 'logs.example.org', '--days', '20', '--directory', folder];
      await promisify(execFile)(binary, ['tls', 'self-signed', ...options]);
      await use({ router: encrypted(folder) });
      await rm(folder, { recursive: true });
    },
  });

  test('a certificate says whose it is and how long it is good', async ({ adminPage }) => {
    await adminPage.open({ tab: 'certificates' });
    const row = adminPage.certificates.getByRole('row', { name: /source safe/ });
    await expect(row).toContainText('logs.example.org');
    await expect(row).toContainText(/(19|20) days left/);
  });
});
