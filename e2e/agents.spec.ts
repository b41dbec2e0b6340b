// Keywords: agents, set-up snippets.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from './logstead';
import { defaultRouter } from './server';

const run = promisify(execFile);

test('an administrator makes a token, runs the command of the page, and sees what came of it', async ({
  agentsPage,
  page,
  searchPage,
}) => {
  await agentsPage.open();
  await agentsPage.filter.fill('cur');
  await agentsPage.filter.press('Enter');
  await agentsPage.isWaiting();
  await expect(agentsPage.configuration('curl')).toContainText('Bearer TOKEN');
  await agentsPage.makeToken.click();
  await expect(agentsPage.configuration('curl')).toContainText('Bearer lst_');
  expect(page.url()).not.toContain('lst_');

  await run('sh', ['-c', (await agentsPage.configuration('curl').textContent()) ?? '']);
  await expect(agentsPage.firstMessage).toContainText('Received, parsed as');
  await expect(agentsPage.parsed('host')).toHaveText('web-1');
  await expect(agentsPage.parsed('program')).toHaveText('shop');
  await expect(agentsPage.parsed('severity')).toHaveText('warning');
  await expect(agentsPage.parsed('logspace')).toHaveText('main');
  await expect(agentsPage.parsed('took_ms')).toHaveText('1200');
  await expect(agentsPage.firstMessage).toContainText('It is the only one so far.');

  await page.getByRole('link', { name: 'Open in Search' }).click();
  await expect(searchPage.message('slow')).toBeVisible();
  await page.goBack();
  await agentsPage.isWaiting();
  await expect(agentsPage.token).toHaveValue('');
});

test('an analyst cannot make tokens, and pastes one', async ({ agentsPage, logstead, page }) => {
  const data = { name: 'ana', password: 'a long enough password' };
  await logstead.addUser({ ...data, role: 'analyst' });
  await page.context().clearCookies();
  await page.request.post(logstead.url('/api/v1/session'), { data });
  const token = await logstead.makeToken('shop');

  await agentsPage.open('curl');
  await agentsPage.isWaiting();
  await expect(agentsPage.makeToken).toBeHidden();
  await expect(page.getByText('An administrator can make a token')).toBeVisible();
  await agentsPage.token.fill(token);
  await run('sh', ['-c', (await agentsPage.configuration('curl').textContent()) ?? '']);
  await expect(agentsPage.parsed('host')).toHaveText('web-1');
});

test('only what the query matches is waited for', async ({ agentsPage, logstead, page }) => {
  await agentsPage.open('rsyslog');
  await agentsPage.ask('needle');
  await expect(page).toHaveURL(/q=needle/);
  await agentsPage.isWaiting();
  await logstead.sendTcp('<14>1 - web-1 app 1 - - hay');
  await expect(agentsPage.firstMessage).toContainText('1 other was received meanwhile');
  await logstead.sendTcp('<14>1 - web-2 app 1 - - needle');
  await expect(agentsPage.parsed('host')).toHaveText('web-2');
});

test('a wait survives a server that goes away', async ({ agentsPage, logstead }) => {
  await agentsPage.open('curl');
  await agentsPage.isWaiting();
  await logstead.restart();
  await logstead.sendTcp(`<14>1 - web-1 app 1 - - back again ${await agentsPage.word()}`);
  await expect(agentsPage.firstMessage).toContainText('back again');
});

test('the message of another sender is not taken for the test message', async ({
  agentsPage,
  logstead,
}) => {
  await agentsPage.open('rsyslog');
  await agentsPage.isWaiting();
  await logstead.sendTcp('<14>1 - shop-07 shop 1 - - of a stranger');
  await expect(agentsPage.firstMessage).toContainText('1 other was received meanwhile');
  await expect(agentsPage.firstMessage).not.toContainText('Received');
  await logstead.sendTcp(`<14>1 - web-1 app 1 - - mine ${await agentsPage.word()}`);
  await expect(agentsPage.firstMessage).toContainText('Received, parsed as');
  await expect(agentsPage.parsed('host')).toHaveText('web-1');
});

test.describe('ports', () => {
  const relp = '[[sources]]\nid = "relp"\nkind = "relp"\nlisten = ["relp://127.0.0.1:0"]\n';
  test.use({ server: { router: `${defaultRouter}\n${relp}` } });

  test('are those of the sources, and what is missing is said', async ({
    agentsPage,
    logstead,
    page,
  }) => {
    await agentsPage.open('rsyslog');
    const tcp = agentsPage.configuration('rsyslog').nth(1);
    await expect(tcp).toContainText(`port="${logstead.listener('tcp:').port}"`);
    await expect(page.getByText('Nothing listens for this yet')).toBeHidden();
    await agentsPage.agent('Docker').click();
    await expect(page.getByText(/a source of kind gelf is missing/)).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'gelf source' })).toContainText('12201');
  });
});
