// Keywords: help, guide, API page.
import { expect, test } from './logstead';

test('a read of the API is found, tried, and linked to', async ({ logstead, page }) => {
  await logstead.sendTcp('<38>1 - web-1 sshd 77 - - session opened for ana');
  await expect.poll(() => logstead.count('ana')).toBe(1);
  await page.goto(logstead.url('/help/api'));
  await expect(page.getByRole('heading', { name: 'Choose an operation' })).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('/count curl');
  const operations = page.getByRole('navigation', { name: 'Operations' });
  await expect(operations.getByRole('button')).toHaveText([/GET\s*\/count$/]);
  await operations.getByRole('button').click();
  await expect(page).toHaveURL(/op=count_messages_by_get/);

  const count = page.getByRole('article', { name: 'GET /api/v1/count' });
  await expect(count).toContainText('A token or a session with the role analyst.');
  await count.getByLabel('query').fill('program=sshd');
  const command = count.getByRole('textbox', { name: 'Command for curl' });
  await expect(command).toContainText(logstead.url('/api/v1/count?query=program%3Dsshd'));
  await count.getByRole('button', { name: 'Try it' }).click();
  const answer = count.getByRole('region', { name: 'Answer', exact: true });
  await expect(answer.getByRole('status')).toHaveText(/^200 in \d+ ms, \d+ B/);
  await expect(answer.getByRole('region', { name: 'Body of the answer' })).toContainText(
    '"count": 1',
  );

  await count.getByLabel('query').fill('severity:wrong');
  await count.getByRole('button', { name: 'Try it' }).click();
  await expect(answer.getByRole('status')).toHaveText(/^400 in/);
  await page.reload();
  await expect(count).toBeVisible();
});

test('what changes something is only a command', async ({ logstead, page }) => {
  await page.goto(logstead.url('/help/api?op=put_router'));
  const put = page.getByRole('article', { name: 'PUT /api/v1/router' });
  await expect(put).toContainText('only as a command');
  await expect(put.getByRole('button', { name: 'Try it' })).toHaveCount(0);
  await expect(put.getByRole('textbox', { name: 'Command for curl' })).toContainText('-X PUT');
  await expect(put).toContainText('If-Match');
});

test('a description that does not come says why, and is asked for again', async ({
  logstead,
  page,
}) => {
  await page.route('**/api/v1/openapi.json', (route) => route.fulfill({ status: 503, body: '' }));
  await page.goto(logstead.url('/help/api'));
  await expect(page.getByRole('alert')).toBeVisible();
  await page.unroute('**/api/v1/openapi.json');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('navigation', { name: 'Operations' })).toContainText('/search');
});

test('the help on every page leads to what is written about it', async ({
  logstead,
  page,
  routerPage,
}) => {
  await routerPage.open();
  await expect(routerPage.route('default')).toBeVisible();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByRole('link', { name: 'About Router' }).click();
  await expect(page).toHaveURL(/\/help\?doc=console&part=router/);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Router', exact: true })).toBeInViewport();
  await page.getByRole('link', { name: 'The query language' }).first().click();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(/query language/i);

  await page.goto(logstead.url('/search'));
  await expect(page.getByRole('textbox', { name: 'Query' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('help on this page');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/part=search/);
  await page.getByRole('button', { name: /^User:/ }).click();
  await page.getByRole('menuitem', { name: 'API', exact: true }).click();
  await expect(page).toHaveURL(/\/help\/api/);
});

test('on a phone there is the list, or what was chosen from it', async ({ logstead, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(logstead.url('/help/api?op=get_router_status'));
  const operations = page.getByRole('navigation', { name: 'Operations' });
  await expect(page.getByRole('article')).toBeVisible();
  await expect(operations).toBeHidden();
  await page.getByRole('button', { name: 'All operations' }).click();
  await expect(operations).toBeVisible();
  for (const path of ['/help/api', '/help/api?op=put_router', '/help?doc=router']) {
    await page.goto(logstead.url(path));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, path).toBeLessThanOrEqual(390);
  }
});
