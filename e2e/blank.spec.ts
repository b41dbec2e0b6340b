// Keywords: empty search page, first visit.
import { expect, test } from './logstead';

/** A syslog line dated `minutes` ago. */
function line(priority: number, minutes: number, host: string, rest: string): string {
  const time = new Date(Date.now() - minutes * 60_000).toISOString();
  return `<${priority}>1 ${time} ${host} ${rest}`;
}

const lines = [
  ...Array.from({ length: 4 }, (_, n) => line(35, n + 1, 'web-1', `sshd ${n} - - login failed`)),
  line(35, 70, 'web-1', 'sshd 9 - - login failed'),
  line(27, 3, 'web-2', 'smartd 1 - - disk sda is dying'),
  line(30, 2, 'web-2', 'nginx 1 - - GET /index.html'),
  line(30, 90, 'db-2', 'postgres 1 - - checkpoint complete'),
];

test.beforeEach(async ({ logstead }) => {
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('*')).toBe(lines.length);
});

test('before anything is asked, four answers lead to their messages in one click', async ({
  logstead,
  page,
  searchPage,
}) => {
  await searchPage.openBlank({ from: '-1h' });
  await expect(page).toHaveTitle('Search · 1 h · Logstead');
  const card = (name: string) => page.getByRole('region', { name });

  await expect(card('Top errors')).toContainText('5 errors, 4 of them from sshd');
  await expect(card('Top errors').getByRole('button', { name: /^sshd 4/ })).toContainText('×4');
  await expect(card('New programs')).toContainText('2 not seen in the range before');
  await expect(card('New programs').getByRole('button', { name: /^smartd/ })).toBeVisible();
  await expect(card('Silent hosts')).toContainText('1 of 3 sent nothing in the last 10 minutes');
  await expect(card('Silent hosts').getByRole('button', { name: /^db-2/ })).toContainText('h ago');
  await expect(card('Noisiest host')).toContainText('web-1 sends 67 % of everything, 4 messages');

  await card('Top errors')
    .getByRole('button', { name: /^sshd 4/ })
    .click();
  await expect.poll(() => searchPage.written()).toBe('severity>=err program=sshd');
  await expect.poll(() => searchPage.total()).toBe(4);
  await expect(page).toHaveTitle('severity>=err program=sshd · 1 h · Logstead');

  await page.goBack();
  await expect(card('Noisiest host')).toContainText('web-1');
  await page.keyboard.press('Alt+4');
  await expect.poll(() => searchPage.written()).toBe('host=web-1');
  expect(await logstead.count('host=web-1')).toBe(5);
});

test('asking for nothing in particular asks for all messages', async ({ page, searchPage }) => {
  await searchPage.openBlank({ from: '-2h' });
  await expect(page.getByRole('region', { name: 'Top errors' })).toBeVisible();
  await page.getByRole('button', { name: 'Show all messages' }).click();
  await expect.poll(() => searchPage.total()).toBe(lines.length);

  await page.getByRole('link', { name: 'Logstead, to Search' }).click();
  await expect(page.getByRole('region', { name: 'Top errors' })).toBeVisible();
  await searchPage.searchButton.click();
  await expect.poll(() => searchPage.total()).toBe(lines.length);
});
