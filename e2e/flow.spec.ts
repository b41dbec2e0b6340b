// Keywords: flow canvas, routes, live figures.
import { expect, test } from './logstead';
import { defaultRouter } from './server';

const messages = [1, 2, 3].map((n) => `<38>1 - web-1 app 1 - - message ${n}`);

test('what was received is balanced, and its number leads to it', async ({
  flowPage,
  logstead,
  page,
}) => {
  await flowPage.open();
  await expect(page.getByRole('heading', { name: /Nothing was received/ })).toBeVisible();
  await logstead.sendTcp(...messages);
  // The page refreshes by itself.
  await expect(flowPage.balance).toContainText('Balanced');
  const syslog = flowPage.sources.getByRole('row', { name: /^syslog/ });
  await expect(syslog).toContainText('balanced');
  await expect(page.getByRole('link', { name: 'main: 3 messages' })).toBeVisible();

  await syslog.getByRole('link', { name: '3 of syslog stored' }).click();
  await expect(page).toHaveURL(/\/search\?q=source/);
  await expect(page.getByText('message 2')).toBeVisible();
  await page.goBack();
  await expect(flowPage.balance).toContainText('Balanced');
});

test.describe('with a destination that is away', () => {
  const destination = '[[destinations]]\nid = "away"\nkind = "syslog"\nto = "tcp://127.0.0.1:9"\n';
  test.use({
    server: {
      router: defaultRouter.replace('to = ["main"]', 'to = ["away"]') + destination,
    },
  });

  test('what waits leads to the queue, over a restart', async ({ flowPage, logstead, page }) => {
    await logstead.sendTcp(...messages);
    await flowPage.open();
    await expect(page.getByRole('link', { name: 'away: 3 messages' })).toBeVisible();
    await logstead.kill();
    await logstead.restart();
    await flowPage.open();
    await expect(flowPage.balance).toContainText('Balanced');
    const away = flowPage.destinations.getByRole('row', { name: /^away/ });
    await expect(away).toContainText('balanced');
    await away.getByRole('link', { name: '3 waiting for away' }).click();
    const dialog = page.getByRole('dialog', { name: 'What waits for away' });
    await expect(dialog.getByText('message 3')).toBeVisible();
  });
});

test('a bar is zoomed into with the keyboard, and the key leads here', async ({
  flowPage,
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(...messages);
  await searchPage.open();
  await expect(page.getByText('message 2')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await expect(flowPage.balance).toContainText('Balanced');
  await flowPage.chart.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/flow\?from=\d{4}-.*to=/);
});

test('bytes that no message holds are said beside a balance, with their sender and what they are', async ({
  flowPage,
  logstead,
  page,
  sendersPage,
}) => {
  const counted = (text: string) => `${text.length} ${text}`;
  const frame = counted('<13>1 - edge app - - - counted');
  await logstead.sendTcp(frame + '\u0001binary\u0002'.repeat(60_000) + frame + frame);
  await flowPage.open();
  await expect(flowPage.balance).toContainText('in no message');
  await expect(flowPage.balance).not.toContainText('Balanced');
  await expect(flowPage.sources.getByText('not understood')).toBeVisible();

  await page.goto(logstead.url('/overview'));
  await expect(page.getByText(/sent 404\.\d KiB that could not be understood/)).toBeVisible();
  await expect(page.getByRole('heading', { name: /are in no message\.$/ })).toBeVisible();
  await page.getByRole('link', { name: 'Show the bytes' }).click();

  await expect(sendersPage.panel.getByText('not understood', { exact: true })).toBeVisible();
  await expect(sendersPage.panel.getByText(/binary/).first()).toBeVisible();
  await expect(page.getByText(/^Not understood: 404\.\d KiB/)).toBeVisible();
});
