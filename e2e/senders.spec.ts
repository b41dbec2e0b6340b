// Keywords: senders, silent hosts.
import { expect, test } from './logstead';

/** A message with the timestamp of a device whose clock is this many hours ahead of UTC. */
function line(host: string, hoursEast = 0, text = 'tick'): string {
  const shown = new Date(Date.now() + hoursEast * 3_600_000).toUTCString();
  const [, day = '', month = '', , clock = ''] = shown.split(' ');
  return `<13>${month} ${day.replace(/^0/, ' ')} ${clock} ${host} app: ${text}`;
}

const many = (host: string, hoursEast = 0) =>
  Array.from({ length: 20 }, () => line(host, hoursEast));

test.describe('a host that has stopped', () => {
  test.use({ server: { settings: ['senders.silent_after=1s'] } });

  test('is found among those that send, and its last messages are shown', async ({
    logstead,
    page,
    sendersPage,
  }) => {
    await logstead.sendTcp(...many('fw-silent'), ...many('fw-steady'));
    await sendersPage.open();
    // One of the senders continues.
    await expect(async () => {
      await logstead.sendTcp(line('fw-steady'));
      await expect(sendersPage.row('fw-silent')).toContainText(/silent \d/, { timeout: 500 });
    }).toPass();
    await sendersPage.show('Silent').click();
    await expect(sendersPage.row('fw-silent')).toBeVisible();
    await expect(page).toHaveURL(/show=silent/);
    await sendersPage.row('fw-silent').getByRole('button').click();
    await expect(sendersPage.panel.getByRole('heading', { name: /^Silent for/ })).toBeVisible();
    await expect(sendersPage.frames()).toHaveCount(20);
    await expect(sendersPage.frames().first()).toContainText('fw-silent app: tick');
    await expect(sendersPage.frames().first()).toContainText('RFC 3164');
    await sendersPage.panel.getByText('Hex').click();
    await expect(sendersPage.frames().first()).toContainText('000000  3c 31 33 3e');
    await sendersPage.panel.getByRole('link', { name: 'Search its messages' }).click();
    await expect(page).toHaveURL(/\/search\?q=host.*fw-silent/);
  });
});

test('a zone that is wrong is seen with its evidence and set right by a click', async ({
  logstead,
  page,
  sendersPage,
}) => {
  await logstead.sendTcp(...many('edge-hel', 2), ...many('edge-ber'));
  await sendersPage.open();
  await expect(sendersPage.row('edge-hel')).toContainText('UTC+02:00?');
  await expect(sendersPage.row('edge-hel')).toContainText('2 h ahead');
  await expect(sendersPage.row('edge-ber')).not.toContainText('UTC');
  await sendersPage.row('edge-hel').getByRole('button').click();
  const card = sendersPage.panel.getByRole('region', { name: 'Time zone' });
  await expect(card).toContainText('20 of 20 of the last messages');
  await card.getByLabel('Read its times as').selectOption('Africa/Maputo');
  await card.getByRole('button', { name: 'Use it from now on' }).click();
  await expect(page.getByText('are read as Africa/Maputo')).toBeVisible();
  await logstead.sendTcp(line('edge-hel', 2, 'now right'));
  await expect.poll(() => logstead.count('"now right"')).toBe(1);
  const [message] = await logstead.search('"now right"');
  const { time, received } = message as unknown as { time: string; received: string };
  expect(Math.abs(Date.parse(time) - Date.parse(received))).toBeLessThan(60_000);
  // The samples of skipped bytes are gone, too.
  await expect(card).toBeHidden();
});

test('senders are walked, found and forgotten with the keyboard alone', async ({
  logstead,
  page,
  sendersPage,
}) => {
  await logstead.sendTcp(line('alpha'), line('beta'), line('gamma'));
  await sendersPage.open({ sort: 'host' });
  await expect(sendersPage.rows).toHaveCount(3);
  await page.keyboard.press('j');
  await expect(sendersPage.panel.getByRole('heading', { name: 'alpha' })).toBeVisible();
  await page.keyboard.press('j');
  await expect(sendersPage.panel.getByRole('heading', { name: 'beta' })).toBeVisible();
  await page.keyboard.press('k');
  await expect(page).toHaveURL(/host=alpha/);
  await page.keyboard.press('Escape');
  await expect(sendersPage.panel).toBeHidden();
  await page.keyboard.press('/');
  await expect(sendersPage.find).toBeFocused();
  await page.keyboard.type('gam');
  await expect(sendersPage.rows).toHaveCount(1);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await sendersPage.panel.getByRole('button', { name: 'Forget' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Forget gamma?' });
  await dialog.getByRole('button', { name: 'Forget it' }).press('Enter');
  await expect(page.getByText('gamma is forgotten')).toBeVisible();
  await expect(page.getByText('No sender is like that')).toBeVisible();
  expect(await logstead.count('host=gamma')).toBe(1);
});

test('a store that nobody sends to says what to do', async ({ page, sendersPage }) => {
  await sendersPage.open();
  await expect(page.getByText('No sender is known yet')).toBeVisible();
  await page.getByRole('link', { name: 'how to send logs' }).click();
  await expect(page).toHaveURL(/\/send/);
});
