// Keywords: pictures of the manual.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from './logstead';
import { admin } from './server';

/**
 * From a new server to "I found my message". With `TOUR=folder`, a picture of each step is saved to
 * that folder.
 */
const run = promisify(execFile);
const folder = process.env['TOUR'];

for (const colorScheme of folder === undefined
  ? (['light'] as const)
  : (['light', 'dark'] as const)) {
  test.describe(`in ${colorScheme}`, () => {
    test.describe.configure({ timeout: 120_000 });
    test.use({
      colorScheme,
      signedIn: false,
      server: { administrator: false },
    });

    test('somebody new sends a first message, finds it and watches the next ones', async ({
      loginPage,
      logstead,
      page,
      searchPage,
      tailPage,
      welcomePage,
    }) => {
      const picture = async (name: string) => {
        if (folder === undefined) return;
        const path = join(folder, `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`);
        await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
      };
      await loginPage.open();
      await expect(loginPage.createButton).toBeVisible();
      await picture('01-administrator');

      await loginPage.createAdministrator(logstead.setupCode, 'ana', admin.password);
      await expect(welcomePage.loggerCommand).toContainText(logstead.listener('tcp:').port);
      await picture('02-send');

      await run('sh', ['-c', (await welcomePage.loggerCommand.textContent()) ?? '']);
      await expect(welcomePage.arrived).toBeVisible();
      await picture('03-arrived');

      await welcomePage.goOn.click();
      await expect(page.getByRole('button', { name: 'Open Search' })).toBeVisible();
      await picture('04-look');

      await welcomePage.follow(/^hello/);
      await expect(searchPage.message('hello logstead test-')).toBeVisible();
      await expect(page.getByText('1 message', { exact: true })).toBeVisible();
      await picture('05-found');

      await logstead.sendTcp(...aDay());
      await searchPage.open({ q: 'severity>=warning', from: '-24h' });
      await expect(searchPage.message(/disk \S+ is \d+ % full/).first()).toBeVisible();
      await expect(page.getByText('Counting…')).toBeHidden();
      await expect(page.getByRole('list', { name: 'Bars by severity' })).toBeVisible();
      await picture('06-histogram');

      await searchPage
        .message(/disk \S+ is \d+ % full/)
        .first()
        .getByRole('button', { name: /^Details/ })
        .click();
      await expect(page.getByRole('region', { name: /^Message \S+$/ })).toBeVisible();
      await picture('07-message');

      await tailPage.open({ q: 'web' });
      await expect(tailPage.state('Live')).toBeVisible();
      await logstead.sendTcp(...aMinute());
      await expect(tailPage.line('GET /orders/39 ')).toBeVisible();
      await expect(tailPage.tail.getByRole('img', { name: /^Matches .*: [1-9]/ })).toBeVisible();
      await picture('08-tail');
    });
  });
}

/** Messages of one day, as three computers may send them. */
function aDay(): string[] {
  const now = Date.now();
  return Array.from({ length: 480 }, (_, n) => {
    const time = new Date(now - (n + 1) * 180_000).toISOString();
    const host = `web-${(n % 3) + 1}`;
    if (n % 17 === 3)
      return `<12>1 ${time} ${host} smartd 311 - - disk sd${'abc'[n % 3] ?? 'a'} is ${90 - (n % 9)} % full`;
    if (n % 23 === 5)
      return `<11>1 ${time} ${host} nginx 802 - - upstream timed out after ${n % 40} s`;
    return `<14>1 ${time} ${host} nginx 802 - - GET /orders/${n} 200`;
  });
}

function aMinute(): string[] {
  return Array.from({ length: 40 }, (_, n) => {
    const priority = n % 9 === 4 ? 12 : 14;
    return `<${priority}>1 - web-${(n % 3) + 1} nginx 802 - - GET /orders/${n} ${n % 9 === 4 ? 404 : 200}`;
  });
}
