// Keywords: first administrator, set-up.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from './logstead';
import { admin } from './server';

const run = promisify(execFile);

test.use({ signedIn: false, server: { administrator: false } });

test('from the printed code to the first message that is found, by the command on the page', async ({
  loginPage,
  logstead,
  searchPage,
  welcomePage,
}) => {
  await loginPage.open();
  await loginPage.createAdministrator(logstead.setupCode, 'ana', admin.password);
  await expect(welcomePage.waiting).toBeVisible();
  await expect(welcomePage.loggerCommand).toContainText(logstead.listener('tcp:').port);

  await run('sh', ['-c', (await welcomePage.loggerCommand.textContent()) ?? '']);
  await expect(welcomePage.arrived).toBeVisible();
  await expect(welcomePage.arrived).toContainText('hello logstead test-');

  await welcomePage.goOn.click();
  await welcomePage.follow(/^hello/);
  await expect(searchPage.message('hello logstead test-')).toBeVisible();
});

test('a token that is made on the page sends the first message over HTTP', async ({
  loginPage,
  logstead,
  welcomePage,
}) => {
  await loginPage.open();
  await loginPage.createAdministrator(logstead.setupCode, 'ana', admin.password);
  await welcomePage.curlTab.click();
  await welcomePage.makeToken.click();
  await expect(welcomePage.curlCommand).toContainText('Bearer lst_');

  await run('sh', ['-c', (await welcomePage.curlCommand.textContent()) ?? '']);
  await expect(welcomePage.arrived).toContainText('hello logstead test-');
});
