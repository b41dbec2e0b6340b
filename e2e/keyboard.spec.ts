// Keywords: keyboard, shortcuts, focus.
import type { Page } from '@playwright/test';
import { expect, test } from './logstead';
import { admin } from './server';

const lines = [
  '<38>1 - web-1 sshd 7 - - session opened for ana',
  '<38>1 - web-1 sshd 7 - - session closed for ana',
  '<38>1 - web-1 sudo 8 - - session opened for root',
  '<38>1 - web-2 nginx 9 - - GET /index.html',
];

/** Presses keys one after the other, as in a sequence or a word. */
async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

test('a query is written with suggestions, whose counts are those of the API', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('*')).toBe(lines.length);
  await searchPage.open();
  await searchPage.editor();
  await press(page, '/');
  await expect(searchPage.query).toBeFocused();

  await page.keyboard.type('prog');
  await expect(searchPage.suggestion(/^program/)).toBeVisible();
  await press(page, 'Tab');
  await expect.poll(() => searchPage.written()).toBe('program:');

  const values = await logstead.complete('program:');
  for (const { label, count } of values.filter((value) => value.count !== undefined)) {
    await expect(searchPage.suggestion(`${label} ${String(count)}`)).toBeVisible();
  }
  await page.keyboard.type('ss');
  await expect(searchPage.suggestion(/^sudo/)).toBeHidden();
  await expect(searchPage.suggestion('sshd 2')).toBeVisible();
  await press(page, 'Tab');
  await expect.poll(() => searchPage.written()).toMatch(/^program:sshd ?$/);
  await press(page, 'Enter');
  await expect(searchPage.found).toContainText(['session closed', 'session opened']);
});

test.describe('without a mouse', () => {
  test.use({ signedIn: false });

  test('the whole way from signing in to signing out is walked by keyboard alone', async ({
    logstead,
    loginPage,
    page,
    searchPage,
  }) => {
    await logstead.sendTcp(...lines);
    await expect.poll(() => logstead.count('*')).toBe(lines.length);
    await loginPage.open();
    await expect(page.getByLabel('Name')).toBeFocused();
    await page.keyboard.type(admin.name);
    await press(page, 'Tab');
    await page.keyboard.type(admin.password);
    await press(page, 'Enter');

    await searchPage.editor();
    await press(page, '/');
    await page.keyboard.type('session');
    await press(page, 'Enter');
    await expect(searchPage.found).toHaveCount(3);
    await press(page, 'Escape');
    await expect(searchPage.query).not.toBeFocused();

    await press(page, 'j', 'j', 'k', 'j');
    const second = searchPage.message('session closed');
    await expect(second.getByRole('button', { name: 'Details' })).toBeFocused();
    await press(page, 'Enter');
    await expect(searchPage.details).toContainText('session closed');

    await press(page, 'c');
    await expect(searchPage.drawer.around).toContainText(['opened', 'closed', 'opened']);
    await press(page, 'Escape');
    await expect(searchPage.details).toBeHidden();

    await press(page, 'g', 't');
    await expect(page.getByRole('region', { name: 'Tail', exact: true })).toBeVisible();
    await expect(page).toHaveURL(/\/tail/);

    await press(page, 'Control+k');
    const command = page.getByRole('combobox', { name: 'Find a command' });
    await expect(command).toBeFocused();
    await page.keyboard.type('sign out');
    await expect(page.getByRole('option', { selected: true })).toContainText('Sign out');
    await press(page, 'Enter');
    await expect(loginPage.signInButton).toBeVisible();
  });
});
