// Keywords: theme, time zone, preferences.
import { expect, test } from './logstead';
import { admin } from './server';

test('what a user prefers is the same in another browser', async ({ browser, logstead, page }) => {
  await logstead.sendTcp('<13>1 - web-1 app - - - hello');
  // The initial preferences of the page may be saved before that.
  const kept = page.waitForRequest(
    (request) =>
      request.method() === 'PUT' &&
      request.url().endsWith('/account/preferences') &&
      request.postData()?.includes('"mantine-color-scheme-value":"dark"') === true,
  );
  await page.goto(logstead.url('/search?q=*'));
  await page.getByRole('button', { name: `User: ${admin.name}` }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await kept;

  const other = await browser.newContext({ colorScheme: 'light' });
  await other.request.post(logstead.url('/api/v1/session'), { data: admin });
  const elsewhere = await other.newPage();
  await elsewhere.goto(logstead.url('/search?q=*'));
  await expect(elsewhere.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await other.close();
});
