/**
 * Every page in every state in which it knows little: `npm run states -w e2e`. The pictures are
 * only meant to be looked at.
 */
import type { Page } from '@playwright/test';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../logstead';
import { fill, holdAnswers, nameOf, places, settled, statesRouter } from '../states';

const folder = fileURLToPath(new URL('./states/', import.meta.url));
const password = 'a long enough password';
/** The wait before a picture is taken; it shows whether things have not arrived by then. */
const DRAWN_MS = 1_500;

test.use({ server: { router: statesRouter } });
test.describe.configure({ timeout: 15 * 60_000 });

for (const scheme of ['light', 'dark'] as const) {
  const picture = async (page: Page, state: string, place: string) => {
    await settled(page).catch(() => undefined);
    await page
      .getByRole('status', { name: /Loading/ })
      .first()
      .waitFor({ state: 'hidden', timeout: DRAWN_MS })
      .catch(() => undefined);
    const path = `${folder}${state}-${nameOf(place)}-${scheme}.png`;
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  };

  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });

    test('empty', async ({ logstead, page }) => {
      for (const place of places) {
        await page.goto(logstead.url(place));
        await picture(page, 'empty', place);
      }
    });

    test('slow', async ({ logstead, page }) => {
      await fill(logstead);
      await holdAnswers(page);
      for (const place of places) {
        await page.goto(logstead.url(place));
        await picture(page, 'slow', place);
      }
    });

    test('forbidden', async ({ logstead, page }) => {
      await fill(logstead);
      const account = { name: 'anna', password };
      await logstead.addUser({ ...account, role: 'analyst', logspaces: ['security'] });
      await page.context().clearCookies();
      await page.request.post(logstead.url('/api/v1/session'), { data: account });
      for (const place of places) {
        await page.goto(logstead.url(place));
        await picture(page, 'forbidden', place);
      }
    });

    test('killed and restarted', async ({ logstead, page }) => {
      await fill(logstead);
      const away = page.getByText(/^The server (cannot be reached|does not answer)\./);
      for (const place of places) {
        await page.goto(logstead.url(place));
        await settled(page);
        await logstead.kill();
        await expect(away).toBeVisible();
        await picture(page, 'killed', place);
        await logstead.restart();
        await expect(away).toBeHidden();
        await picture(page, 'restarted', place);
      }
    });
  });
}
