// Keywords: search, query, results.
import { expect, test } from './logstead';
import { defaultRouter } from './server';

test('a syslog message sent over TCP is found', async ({ logstead, searchPage }) => {
  await logstead.sendTcp('<38>1 - web-1 sshd 77 - - Accepted key for ana');
  await expect.poll(() => logstead.count('Accepted')).toBe(1);

  await searchPage.open();
  await searchPage.search('Accepted key');
  const message = searchPage.message('Accepted key for ana');
  await expect(message).toBeVisible();
  await expect(message).toContainText('web-1');
  await expect(message).toContainText('sshd');
});

test('a syslog message sent over UDP is found', async ({ logstead, searchPage }) => {
  await logstead.sendUdp('<165>Nov 21 06:13:00 switch-9 link: port 12 is down');
  await expect.poll(() => logstead.count('link')).toBe(1);

  await searchPage.open({ q: 'host:switch-9', from: 'all' });
  await expect(searchPage.message('port 12 is down')).toBeVisible();
});

test('what was acknowledged is there after kill -9', async ({ logstead, searchPage }) => {
  await logstead.ingest(['survivor 1', 'survivor 2']);
  await logstead.kill();
  await logstead.restart();
  expect(await logstead.count('survivor')).toBe(2);

  await searchPage.open({ q: 'survivor' });
  await expect(searchPage.message(/survivor \d/)).toHaveCount(2);
});

test('a wrong regular expression shows its error at the query', async ({ searchPage }) => {
  await searchPage.open();
  await searchPage.search('message:/(unclosed/');
  await expect(searchPage.alert).toContainText('/(unclosed/');
  await expect(searchPage.place).toHaveAccessibleName(/column 9/);
});

test('a query that does not parse is searched as text, and says so', async ({
  logstead,
  searchPage,
}) => {
  await logstead.ingest(['panic at (line 7']);
  await searchPage.open();
  await searchPage.search('(line 7');
  await expect(searchPage.message('panic at (line 7')).toBeVisible();
  await expect(searchPage.warning).toBeVisible();
});

test('the address has the whole search', async ({ logstead, page, searchPage }) => {
  await logstead.ingest(['needle in a haystack', 'only hay']);
  await searchPage.open();
  await searchPage.search('needle');
  await expect(searchPage.messages.getByRole('row', { name: /hay/ })).toHaveCount(1);

  await page.reload();
  await expect.poll(() => searchPage.written()).toBe('needle');
  await expect(searchPage.message('needle in a haystack')).toBeVisible();
  await expect(searchPage.message('only hay')).toBeHidden();
});

test('a search without a match says so', async ({ logstead, searchPage }) => {
  await logstead.ingest(['something else']);
  await searchPage.open();
  await searchPage.search('nothing-like-this');
  await expect(searchPage.empty).toBeVisible();
});

test('what matches at no time is not looked for in all time, and the fields say it once', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.ingest(['something else']);
  await searchPage.open({ q: 'nothing-like-this' });
  await expect(page.getByText('Nothing matches at any other time either.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Show all messages' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Search all time' })).toBeHidden();
  await expect(searchPage.fields.sidebar.getByText(/nothing matches|not present/i)).toHaveText([
    'Nothing matches, so no field has a value.',
  ]);
});

test('the browser may keep the icon of the tab, and fetches it once', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp('<38>1 - web-1 sshd 1 - - icon one', '<38>1 - web-1 sshd 1 - - icon two');
  await expect.poll(() => logstead.count('icon')).toBe(2);
  await searchPage.open({ q: 'icon' });
  await expect(searchPage.found).toHaveCount(2);
  const icon = await page.locator('link[rel="icon"]').getAttribute('href');
  const answer = await page.request.get(logstead.url(icon ?? ''));
  expect(answer.headers()['cache-control']).toContain('immutable');
  expect(answer.headers()['content-type']).toContain('image/svg+xml');
});

test('a new store says how to send the first message', async ({ logstead, searchPage }) => {
  await searchPage.open();
  await expect(searchPage.firstMessage).toBeVisible();
  const command = searchPage.firstMessage.getByLabel('logger command', { exact: true });
  await expect(command).toContainText(logstead.listener('tcp:').port);
});

test.describe('with a log of its own', () => {
  const router = `${defaultRouter}[[sources]]\nid = "own"\nkind = "internal"\n`;
  test.use({ server: { router } });

  test('what a new store says stands apart from its list', async ({ page, searchPage }) => {
    await searchPage.open();
    await expect(searchPage.firstMessage).toBeVisible();
    await expect(searchPage.found.first()).toBeVisible();
    const card = await searchPage.firstMessage.boundingBox();
    const list = await searchPage.messages.boundingBox();
    const live = await page.getByRole('button', { name: 'Live' }).boundingBox();
    if (card === null || list === null || live === null) throw new Error('not drawn');
    expect(card.y - (live.y + live.height)).toBeGreaterThanOrEqual(8);
    expect(list.y - (card.y + card.height)).toBeGreaterThanOrEqual(8);
  });
});

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 390, height: 800 } });

  test('messages can be read without scrolling the page sideways', async ({
    logstead,
    page,
    searchPage,
  }) => {
    await logstead.ingest([`a message that is ${'very '.repeat(60)}long`]);
    await searchPage.open({ q: 'message' });
    await expect(searchPage.message('a message that is')).toBeVisible();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });
});
