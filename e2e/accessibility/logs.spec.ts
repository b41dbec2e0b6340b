// Keywords: axe, contrast, screen reader, dark theme, tail, senders, overview, logspaces.
import { expect, test } from '../logstead';
import { LOOKS, button, expectAccessible, over, sendSome } from './axe';

test.describe('accessible in both themes', () => {
  test.describe.configure(LOOKS);
  test.use({ colorScheme: 'light' });

  test('send logs', async ({ agentsPage, logstead, page }) => {
    await agentsPage.open('docker');
    await agentsPage.isWaiting();
    await expect(page.getByText('Nothing listens for this yet').first()).toBeVisible();
    await expectAccessible(page, 'waiting, without a source');
    await agentsPage.filter.fill('no such agent');
    await expectAccessible(page, 'no agent of that name');
    await agentsPage.open('curl');
    await agentsPage.isWaiting();
    await agentsPage.makeToken.click();
    await expect(page.getByText('is shown this once')).toBeVisible();
    await logstead.sendTcp(`<12>1 - web-1 app 1 - - slow user=ana ${await agentsPage.word()}`);
    await expect(agentsPage.firstMessage).toContainText('Received, parsed as');
    await expectAccessible(page, 'received');
  });

  test('tail', async ({ logstead, page, tailPage }) => {
    await tailPage.open();
    await expect(tailPage.tail.getByText('Waiting for matches')).toBeVisible();
    await expectAccessible(page, 'idle');
    await sendSome(logstead);
    await expect(tailPage.line('severity 7')).toBeVisible();
    await expectAccessible(page, 'live');
    await tailPage.button('Pause').click();
    await tailPage.line('severity 7').getByRole('button', { name: 'Details' }).click();
    await expectAccessible(page, 'paused, with details');
    await tailPage.open({ q: 'severity', highlight: 'severity\nana' });
    await expect(tailPage.state('Live')).toBeVisible();
    await expectAccessible(page, 'with highlights');
    await tailPage.open({ q: 'message:/(unclosed/' });
    await expect(tailPage.state('Refused')).toBeVisible();
    await expectAccessible(page, 'refused');
    await tailPage.open({ q: 'a', q2: 'b' });
    await expect(page.getByRole('region', { name: 'Tail 2' })).toBeVisible();
    await expectAccessible(page, 'two tails');
  });

  test('overview', async ({ logstead, page }) => {
    await page.goto(logstead.url('/overview'));
    await expect(page.getByRole('heading', { name: /All is well/ })).toBeVisible();
    await expectAccessible(page, 'an overview');
  });

  test('senders', async ({ logstead, page, sendersPage }) => {
    await sendersPage.open();
    await expect(page.getByText('No sender is known yet')).toBeVisible();
    await expectAccessible(page, 'no senders');
    await logstead.sendTcp(
      ...Array.from(
        { length: 10 },
        () => '<13>1 2020-01-01T00:00:00Z edge-1 app - - - an old clock',
      ),
      'nothing that is known',
    );
    await expect(sendersPage.rows).toHaveCount(2);
    await sendersPage.row('edge-1').getByRole('button').click();
    await expect(sendersPage.frames()).toHaveCount(10);
    await expectAccessible(page, 'a sender');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page, 'a sender on a phone');
    await page.keyboard.press('Escape');
    await button(page, 'More pages').click();
    await expect(page.getByRole('menuitem', { name: 'Router' })).toBeVisible();
    await expectAccessible(page, 'more pages', over(page));
  });

  test('logspaces', async ({ logspacesPage, logstead, page }) => {
    await sendSome(logstead);
    await logspacesPage.open();
    await expect(logspacesPage.fills('main').getByRole('rowheader').first()).toBeVisible();
    await expectAccessible(page, 'logspaces');
    await logspacesPage.age.fill('30');
    await expect(page.getByText('Deletes nothing now.')).toBeVisible();
    await expectAccessible(page, 'a retention is being changed');
    await logspacesPage.button('Verify').click();
    await expect(logspacesPage.details('main')).toContainText('Intact.');
    await logspacesPage.details('main').getByRole('button', { name: 'Options' }).click();
    await expectAccessible(page, 'options, verified');
    await logspacesPage.button('New logspace').click();
    await expect(logspacesPage.dialog).toBeVisible();
    await expectAccessible(page, 'a new logspace', over(page));
  });
});
