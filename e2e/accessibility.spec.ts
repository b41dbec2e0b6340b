import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './logstead';

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  }));
  expect(found).toEqual([]);
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`accessible in ${colorScheme}`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } });

    test.describe('before login', () => {
      test.use({ signedIn: false });

      test('login', async ({ loginPage, page }) => {
        await loginPage.open();
        await expect(loginPage.signInButton).toBeVisible();
        await expectAccessible(page);
        await loginPage.signIn('admin', 'wrong');
        await expect(loginPage.alert).toBeVisible();
        await expectAccessible(page);
      });

      test.describe('on the first start', () => {
        test.use({ server: { administrator: false } });

        test('set-up', async ({ loginPage, page }) => {
          await loginPage.open();
          await expect(loginPage.createButton).toBeVisible();
          await expectAccessible(page);
        });
      });
    });

    test('search', async ({ logstead, page, searchPage }) => {
      await searchPage.open();
      await expect(searchPage.firstMessage).toBeVisible();
      await expectAccessible(page);

      await logstead.sendTcp(
        ...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `<${n}>1 - host-${n} app 1 - - severity ${n}`),
      );
      await expect.poll(() => logstead.count('severity')).toBe(8);
      await searchPage.open({ q: 'severity' });
      await expect(searchPage.message('severity 7')).toBeVisible();
      await expectAccessible(page);

      await searchPage.message('severity 7').getByRole('button', { name: 'Details' }).click();
      await expect(searchPage.details).toBeVisible();
      await expectAccessible(page);

      await searchPage.search('nothing-like-this');
      await expect(searchPage.empty).toBeVisible();
      await expectAccessible(page);

      await searchPage.search('message:/(unclosed/');
      await expect(searchPage.alert).toBeVisible();
      await expectAccessible(page);
    });

    test('router', async ({ page, routerPage }) => {
      await routerPage.open();
      await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
      // The draft is validated meanwhile: what is looked at must not change under the look.
      await expect(routerPage.button('Apply')).toBeEnabled();
      await expectAccessible(page);

      await routerPage.show('Text');
      await expect(routerPage.text).toBeVisible();
      await expectAccessible(page);

      await routerPage.button('Apply').click();
      await expect(routerPage.dialog).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press('Escape');

      await routerPage.show('Counters');
      await expect(page.getByRole('table').first()).toBeVisible();
      await expectAccessible(page);

      await routerPage.show('History');
      await expect(routerPage.revision(1)).toBeVisible();
      await expectAccessible(page);
    });
  });
}
