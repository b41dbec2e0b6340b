// Keywords: axe, contrast, screen reader, dark theme, router, flow, destinations.
import { expect, test } from '../logstead';
import { defaultRouter } from '../server';
import { LOOKS, button, expectAccessible, over, sendSome } from './axe';

test.describe('accessible in both themes', () => {
  test.describe.configure(LOOKS);
  test.use({ colorScheme: 'light' });

  test('flow', async ({ flowPage, logstead, page }) => {
    await flowPage.open();
    await expect(page.getByRole('heading', { name: /Nothing was received/ })).toBeVisible();
    await expectAccessible(page, 'nothing received');
    await sendSome(logstead);
    await expect(page.getByRole('link', { name: 'main: 8 messages' })).toBeVisible();
    await expectAccessible(page, 'balanced');
    await page.goto(logstead.url('/flow?from=now&to=-1h'));
    await expect(page.getByRole('alert')).toBeVisible();
    await expectAccessible(page, 'refused');
  });

  test.describe('a destination that is away', () => {
    const away = '[[destinations]]\nid = "away"\nkind = "syslog"\nto = "tcp://127.0.0.1:9"\n';
    const routed = defaultRouter.replace('to = ["main"]', 'to = ["main", "away"]');
    test.use({ server: { router: routed + away } });

    test('destinations', async ({ logstead, page }) => {
      await sendSome(logstead);
      await page.goto(logstead.url('/router?item=destinations-0'));
      await expect(page.getByText('Cannot be reached; messages wait')).toBeVisible();
      await button(page, 'Send a test message').click();
      await expect(page.getByText('Not accepted')).toBeVisible();
      await expectAccessible(page, 'the form of a destination');
      await page.goto(logstead.url('/router?view=list&queue=away'));
      await expect(page.getByText('severity 7')).toBeVisible();
      await expectAccessible(page, 'what waits');
      await page.goto(logstead.url('/router?view=list&replay=away'));
      await expect(page.getByText('8 messages found')).toBeVisible();
      await expectAccessible(page, 'replay');
    });
  });

  test('router', async ({ logstead, page, routerPage }) => {
    await routerPage.open();
    await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
    // The draft is being validated: the page must not change during the check.
    await expect(routerPage.button('Apply…')).toBeEnabled();
    await expectAccessible(page, 'form');

    await routerPage.button('Diff').click();
    await expect(routerPage.dialog).toBeVisible();
    await expectAccessible(page, 'diff', over(page));
    await page.keyboard.press('Escape');

    await routerPage.show('Text');
    await expect(routerPage.text).toBeVisible();
    await expectAccessible(page, 'text');
    await routerPage.startLine('[[routes]]');
    await page.keyboard.press('Control+Space');
    await expect(routerPage.suggestions.first()).toBeVisible();
    await expectAccessible(page, 'suggestions in the text');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');

    await routerPage.button('Apply…').click();
    await expect(routerPage.dialog).toBeVisible();
    await expectAccessible(page, 'apply', over(page));
    await page.keyboard.press('Escape');

    await routerPage.show('List');
    await expect(page.getByRole('region', { name: 'Routes' })).toBeVisible();
    await expectAccessible(page, 'list');

    await routerPage.show('Canvas');
    await expect(routerPage.button('Route logins')).toBeVisible();
    await expectAccessible(page, 'canvas');

    await routerPage.button('Test on history').click();
    await expect(page.getByText('There is no message to try the draft on')).toBeVisible();
    await expectAccessible(page, 'test on history, no message');
    await sendSome(logstead);
    await routerPage.button('Test again').click();
    await expect(page.getByText('of 8 would change')).toBeVisible();
    await expectAccessible(page, 'test on history');
    await routerPage.button('Another time range').click();
    await expect(page.getByRole('dialog', { name: 'Time range' })).toBeVisible();
    await expectAccessible(page, 'test on history, time range');
    await page.keyboard.press('Escape');
    await routerPage.button('Saved searches').click();
    await expect(page.getByText('No search is saved yet')).toBeVisible();
    await expectAccessible(page, 'test on history, saved searches');
    await page.keyboard.press('Escape');
    await routerPage.button('Paste messages').click();
    await page.getByLabel('Messages', { exact: true }).fill('<13>1 - web sshd 1 - - a login');
    await routerPage.button('Test again').click();
    await expect(page.getByText('of 1 would change')).toBeVisible();
    await expectAccessible(page, 'test of pasted messages');
    await page.getByRole('button', { name: 'Close the test' }).click();

    await routerPage.showHistory();
    await expect(routerPage.revision(1)).toBeVisible();
    await expectAccessible(page, 'history');
  });
});
