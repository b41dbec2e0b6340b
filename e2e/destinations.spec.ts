// Keywords: destination, queue, pause, retry.
import type { Locator, Page } from '@playwright/test';
import { Collector } from './collector';
import { expect, test as base } from './logstead';
import { defaultRouter } from './server';

/** Nothing listens on this address. */
const NOWHERE = 'tcp://127.0.0.1:9';

interface Fixtures {
  collector: Collector;
}

/** Stored messages are also sent to a server that is down and to one that refuses some of them. */
const test = base.extend<Fixtures>({
  collector: async ({}, use) => {
    const collector = await Collector.start();
    await use(collector);
    collector.stop();
  },
  server: async ({ collector }, use) => {
    const destinations = `
[[destinations]]
id = "away"
kind = "syslog"
to = "${NOWHERE}"

[[destinations]]
id = "archive"
kind = "ndjson_http"
url = "${collector.url}"
format = "message"
`;
    const routed = defaultRouter.replace('to = ["main"]', 'to = ["main", "away", "archive"]');
    await use({ router: routed + destinations });
  },
});

const messages = ['one', 'two', 'poison three'].map((text) => `<38>1 - web-1 app 1 - - ${text}`);

/** Opens the form of a destination. */
async function openForm(page: Page, id: string): Promise<Locator> {
  await page.getByRole('button', { name: `Destination ${id}` }).click();
  return page.getByRole('region', { name: `Destination ${id}` });
}

function state(form: Locator, id: string): Locator {
  return form.getByRole('region', { name: `State of ${id}` });
}

test('a source and a destination are turned off, and on again with what waits', async ({
  logstead,
  page,
  routerPage,
}) => {
  const card = (name: string) => page.getByRole('button', { name, exact: true });
  await logstead.sendTcp(...messages);
  await routerPage.open();
  await expect(card('Destination away')).toContainText('down');
  await expect(card('Destination away')).toContainText('3 queued');

  await card('Destination away').focus();
  await page.keyboard.press('d');
  await expect(card('Destination away')).toContainText('disabled');
  await expect(card('Destination away')).toContainText('3 kept');
  await card('Source syslog').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await expect(card('Source syslog')).toContainText('disabled');
  await routerPage.apply('quiet for a while');
  await expect(routerPage.liveRevision(2)).toBeVisible();
  await expect(card('Source syslog')).toContainText('off');
  await expect(logstead.sendTcp('<13>refused')).rejects.toThrow('ECONNREFUSED');
  await routerPage.show('List');
  await expect(card('Destination away')).toContainText('3 kept');
  await expect(card('Destination away')).toContainText('off');

  await card('Destination away').focus();
  await page.keyboard.press('d');
  await card('Source syslog').click();
  await page.getByRole('switch', { name: 'Enabled' }).click({ force: true });
  await routerPage.apply('back again');
  await expect(routerPage.liveRevision(3)).toBeVisible();
  await routerPage.show('Canvas');
  await expect(card('Destination away')).toContainText('3 queued');
  await expect(card('Source syslog')).not.toContainText('off');
});

test('one that is down says cause, since when and what waits, in its panel and in the list', async ({
  logstead,
  page,
  routerPage,
}) => {
  await logstead.sendTcp(...messages);
  await routerPage.open();
  const form = await openForm(page, 'away');
  await expect(state(form, 'away')).toContainText('Cannot be reached; messages wait');
  await expect(state(form, 'away')).toContainText(/refused[^]*since \d\d:\d\d/);
  await expect(state(form, 'away')).toContainText(/3 messages, .* of 1(\.0)? GiB/);
  await expect(state(form, 'away').getByText('Oldest waits')).toBeVisible();
  await expect(form.getByRole('button', { name: 'Try now: away' })).toBeVisible();
  await expect(page.locator('path[data-kind="fails"]')).toHaveCSS('stroke-dasharray', /\d/);

  await routerPage.show('List');
  const list = page.getByRole('region', { name: 'Destinations' });
  await expect(list).toContainText(/Down since \d\d:\d\d/);
  await expect(list).toContainText(/of 1(\.0)? GiB queued · the oldest waits for/);
  await expect(list.getByRole('button', { name: 'Try now: away' })).toBeVisible();
});

test('a test message shows what the other side answers, before anything is applied', async ({
  collector,
  page,
  routerPage,
}) => {
  await routerPage.open();
  const archive = await openForm(page, 'archive');
  await archive.getByRole('button', { name: 'Send a test message' }).click();
  await expect(archive.getByText('200 OK: taken')).toBeVisible();
  expect(collector.lines).toHaveLength(1);
  expect(collector.lines[0]).toContain('Test message from Logstead to the destination archive');

  await archive.getByLabel('Address').fill('http://127.0.0.1:9/lines');
  await expect(archive.getByText('200 OK: taken')).toBeHidden();
  await archive.getByRole('button', { name: 'Send a test message' }).click();
  await expect(archive.getByRole('alert')).toContainText('check that the server runs');
});

test('what waits is looked at and discarded by its number', async ({
  logstead,
  page,
  routerPage,
}) => {
  await logstead.sendTcp(...messages);
  await routerPage.open();
  const away = await openForm(page, 'away');
  await expect(state(away, 'away').getByRole('alert')).toContainText('Connection refused');
  await expect(state(away, 'away')).toContainText('3 messages');
  await away.getByRole('button', { name: 'Queue: away' }).click();

  const dialog = page.getByRole('dialog', { name: 'What waits for away' });
  await expect(dialog.getByText('poison three')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Discard' })).toBeDisabled();
  await dialog.getByLabel('Discard the oldest').fill('4');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await expect(dialog.getByText('there are only 3 messages, not 4')).toBeVisible();
  await dialog.getByLabel('Discard the oldest').fill('2');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await expect(dialog.getByText('one', { exact: true })).toBeHidden();
  await expect(dialog.getByText('1 message', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(state(away, 'away')).toContainText('1 message,');
});

test('what was refused says why, and is sent again', async ({
  collector,
  logstead,
  page,
  routerPage,
}) => {
  await logstead.sendTcp(...messages);
  await routerPage.open();
  await routerPage.show('List');
  await expect.poll(() => collector.lines).toEqual(['one', 'two']);
  await page.getByRole('button', { name: 'Quarantine: archive' }).click();
  const dialog = page.getByRole('dialog', { name: 'What archive refused' });
  await expect(dialog.getByText('400 Bad Request: no poison here')).toBeVisible();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('1 message in the queue again')).toBeVisible();
  // It is refused once more, and nothing else was sent.
  await expect(dialog.getByText('1 message', { exact: true })).toBeVisible();
  expect(collector.lines).toEqual(['one', 'two']);
  // The address opens the same dialog.
  await page.reload();
  await expect(dialog.getByText('poison three')).toBeVisible();
});

test('what is stored is replayed, with its progress', async ({
  collector,
  logstead,
  page,
  routerPage,
}) => {
  await logstead.sendTcp(...messages.slice(0, 2));
  await expect.poll(() => collector.lines).toEqual(['one', 'two']);
  await routerPage.open();
  await routerPage.show('List');
  await page.getByRole('button', { name: 'Replay: archive' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay to archive' });
  await expect(dialog.getByText('2 messages found')).toBeVisible();
  await dialog.getByLabel('Query').fill('two');
  await expect(dialog.getByText('1 message found')).toBeVisible();
  await dialog.getByRole('button', { name: 'Replay' }).click();
  await expect(dialog.getByText('1 message in the queue')).toBeVisible();
  await expect.poll(() => collector.lines).toEqual(['one', 'two', 'two']);
});
