// Keywords: logspaces, retention.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from './logstead';
import type { Logstead } from './server';

const password = 'a long enough password';

/** Stores random texts, which do not get smaller on disk. */
async function fill(logstead: Logstead, messages: number): Promise<void> {
  const lines = Array.from({ length: messages }, () => randomBytes(200).toString('hex'));
  await logstead.ingest(lines, 'main');
}

async function signInAs(
  page: Page,
  logstead: Logstead,
  role: 'analyst' | 'operator',
  grant: { logspaces?: string[] } = {},
): Promise<void> {
  await logstead.addUser({ name: 'ana', role, password, ...grant });
  await page.context().clearCookies();
  const data = { name: 'ana', password };
  const response = await page.request.post(logstead.url('/api/v1/session'), { data });
  expect(response.status()).toBe(200);
}

test('cards say what each logspace holds, and one opens below them', async ({
  logspacesPage,
  logstead,
  page,
}) => {
  await logstead.sendTcp('<14>1 - web-1 app 1 - - one', '<14>1 - web-2 app 1 - - two');
  await expect.poll(() => logstead.count('*')).toBe(2);
  await logspacesPage.open();
  await expect(logspacesPage.card('main')).toContainText('90\u202fd');
  await expect(logspacesPage.card('main')).toContainText('not enough history');
  await expect(logspacesPage.card('security')).toContainText('nothing');
  await expect(logspacesPage.fills('main').getByRole('rowheader', { name: 'web-1' })).toBeVisible();
  await logspacesPage.fills('main').getByText('Program', { exact: true }).click();
  await expect(logspacesPage.fills('main').getByRole('rowheader', { name: 'app' })).toBeVisible();
  await expect(page).toHaveURL(/by=program/);
  await logspacesPage.card('security').click();
  await expect(page).toHaveURL(/space=security/);
  await expect(logspacesPage.details('security')).toContainText('It holds no messages yet');
  await page.setViewportSize({ width: 390, height: 500 });
  await logspacesPage.card('main').click();
  await expect(
    logspacesPage.details('main').getByRole('heading', { name: 'main' }),
  ).toBeInViewport();
});

test('a longer retention is applied as a revision, and deletes nothing', async ({
  logspacesPage,
  logstead,
  page,
  routerPage,
}) => {
  await logspacesPage.open({ space: 'main' });
  await logspacesPage.age.fill('0');
  await expect(logspacesPage.age).toHaveAccessibleDescription(/whole number/);
  await expect(logspacesPage.button('Apply as a revision')).toBeDisabled();
  await logspacesPage.age.fill('120');
  await expect(page.getByText('was 90 days')).toBeVisible();
  await expect(page.getByText('Deletes nothing now.')).toBeVisible();
  await logspacesPage.button('Apply as a revision').click();
  await expect(logspacesPage.card('main')).toContainText('120\u202fd');
  await expect(page.getByText('Revision 2 is live')).toBeVisible();
  await routerPage.open();
  await expect(routerPage.liveRevision(2)).toBeVisible();
  expect(JSON.stringify(await logstead.routerDocument())).toContain('"age":"120d"');
});

test.describe('what is full of messages', () => {
  test.use({
    server: { settings: ['storage.segment_rows_max=1000', 'storage.journal_file_max=1MiB'] },
  });

  test('is deleted only when its name was typed below the preview', async ({
    logspacesPage,
    logstead,
    page,
  }) => {
    await fill(logstead, 12_000);
    await logspacesPage.open({ space: 'main' });
    await logspacesPage.size.fill('1');
    await logspacesPage.sizeUnit.selectOption('MiB');
    const verdict = page.getByRole('status').filter({ hasText: /^Deletes / });
    await expect(verdict).toContainText(/Deletes [\d\u202f]+ messages, .* for good/);
    await expect(page.getByRole('img', { name: /are deleted$/ })).toBeVisible();
    await expect(page.getByText('No saved search looks further back')).toBeVisible();
    const apply = logspacesPage.button('Apply as a revision');
    const word = page.getByRole('textbox', { name: /^Type main to delete/ });
    await expect(apply).toBeDisabled();
    await word.fill('mai');
    await expect(apply).toBeDisabled();
    expect(await logstead.count('*')).toBe(12_000);
    await word.fill('main');
    await apply.click();
    await expect(page.getByText('Revision 2 is live')).toBeVisible();
    await expect.poll(() => logstead.count('*'), { timeout: 60_000 }).toBeLessThan(12_000);
  });
});

test.describe('what is in segments', () => {
  test.use({
    server: { settings: ['storage.segment_rows_max=1000', 'storage.journal_file_max=1MiB'] },
  });

  test('has its indexes rebuilt while it is in use', async ({ logspacesPage, logstead, page }) => {
    await fill(logstead, 12_000);
    await expect.poll(() => logstead.unsealed()).toBe(0);
    await logspacesPage.open({ space: 'security' });
    await expect(logspacesPage.button('Rebuild indexes')).toBeDisabled();
    await logspacesPage.card('main').click();
    await logspacesPage.button('Rebuild indexes').click();
    await expect(page.getByText('The indexes of main are rebuilt')).toBeVisible();
    await expect(page.getByText(/^\d+ of [\d\u202f]+ messages, in /)).toBeVisible();
    await expect(logspacesPage.button('Rebuild indexes')).toBeEnabled();
    expect(await logstead.count('*')).toBe(12_000);
  });
});

test('a logspace is checked, and says that it is intact', async ({ logspacesPage, logstead }) => {
  await logstead.ingest(['one', 'two'], 'main');
  await logspacesPage.open({ space: 'main' });
  await expect(logspacesPage.card('main')).toContainText('not verified');
  await logspacesPage.button('Verify').click();
  await expect(logspacesPage.card('main')).toContainText('intact');
  await expect(logspacesPage.details('main')).toContainText('Intact. 2 messages');
});

test('a logspace is made, and retired with its messages', async ({
  logspacesPage,
  logstead,
  page,
}) => {
  await logspacesPage.open();
  await logspacesPage.button('New logspace').click();
  await logspacesPage.dialog.getByLabel('Name').fill('No Name!');
  await logspacesPage.button('Create as a revision').click();
  await expect(logspacesPage.dialog.getByRole('alert')).toBeVisible();
  await logspacesPage.dialog.getByLabel('Name').fill('archive');
  await logspacesPage.button('Create as a revision').click();
  await expect(logspacesPage.card('archive')).toContainText('90\u202fd');
  await logstead.ingest(['kept'], 'archive');

  await logspacesPage.details('archive').getByRole('button', { name: 'Options' }).click();
  await logspacesPage.button('Retire archive…').click();
  await logspacesPage.dialog.getByLabel(/^Type archive/).fill('archive');
  await logspacesPage.dialog.getByRole('button', { name: 'Retire as a revision' }).click();
  await expect(logspacesPage.card('archive')).toContainText('no longer written to');
  expect(await logstead.count('kept')).toBe(1);

  await logspacesPage.card('main').click();
  await logspacesPage.details('main').getByRole('button', { name: 'Options' }).click();
  await expect(page.getByText(/The route default sends to it/)).toBeVisible();
});

test('an analyst looks, and is told who can change something', async ({
  logspacesPage,
  logstead,
  page,
}) => {
  await signInAs(page, logstead, 'analyst', { logspaces: ['main'] });
  await logspacesPage.open();
  await expect(logspacesPage.card('main')).toBeVisible();
  await expect(logspacesPage.card('security')).toBeHidden();
  await expect(page.getByText(/needs the role operator or admin/)).toBeVisible();
  await expect(logspacesPage.age).toBeDisabled();
  await expect(logspacesPage.button('Verify')).toBeHidden();
  await expect(logspacesPage.button('New logspace')).toBeHidden();
});

test('an operator of some logspaces changes these, and makes none', async ({
  logspacesPage,
  logstead,
  page,
}) => {
  await signInAs(page, logstead, 'operator', { logspaces: ['main'] });
  await logspacesPage.open();
  await expect(logspacesPage.button('New logspace')).toBeHidden();
  await logspacesPage.age.fill('30');
  await expect(page.getByText('Deletes nothing now.')).toBeVisible();
  await logspacesPage.button('Apply as a revision').click();
  await expect(logspacesPage.card('main')).toContainText('30\u202fd');
});
