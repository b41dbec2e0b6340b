// Keywords: a working day, tasks, keyboard, mouse.
import { type Hands, keyboard, mouse } from './hands';
import { expect, test } from './logstead';
import { defaultRouter } from './server';

const password = 'a long enough password';
const destination = '[[destinations]]\nid = "siem"\nkind = "syslog"\nto = "tcp://127.0.0.1:9"\n';

/** A message with the timestamp of a device whose clock is two hours ahead of UTC. */
function ahead(text: string): string {
  const shown = new Date(Date.now() + 2 * 3_600_000).toUTCString();
  const [, day = '', month = '', , clock = ''] = shown.split(' ');
  return `<13>${month} ${day.replace(/^0/, ' ')} ${clock} edge-hel app: ${text}`;
}

for (const hands of [mouse, keyboard]) day(hands);

function day({ name, visit, press, write }: Hands): void {
  test.describe(`a day of an operator with the ${name} only`, () => {
    const router = defaultRouter.replace('to = ["main"]', 'to = ["main", "siem"]') + destination;
    test.use({ server: { router }, contextOptions: { reducedMotion: 'no-preference' } });

    test('what is down is seen, looked into and paused', async ({ logstead, page, routerPage }) => {
      await logstead.sendTcp('<13>1 - web-1 app - - - one', '<13>1 - web-1 app - - - two');
      await page.goto(logstead.url('/'));
      const health = page.getByRole('region', { name: 'Health' });
      await expect(health.getByRole('listitem')).toContainText('siem does not take messages');
      await press(health.getByRole('link', { name: 'Show its queue' }));
      const queue = page.getByRole('dialog', { name: 'What waits for siem' });
      await expect(queue).toBeVisible();
      await press(queue.getByRole('button', { name: 'Close' }));
      await expect(queue).toBeHidden();

      await visit(page, 'Router', 'g r');
      await press(routerPage.button('Destination siem'));
      await press(routerPage.button('Pause: siem'));
      await expect(page.getByText('Paused; messages wait')).toBeVisible();
      await press(routerPage.button('Resume: siem'));
      await expect(page.getByText('Paused; messages wait')).toBeHidden();
    });

    test('a sender is found, and its zone is set right', async ({
      logstead,
      page,
      sendersPage,
    }) => {
      await logstead.sendTcp(...Array.from({ length: 20 }, () => ahead('tick')));
      await page.goto(logstead.url('/'));
      await visit(page, 'Senders', 'g e');
      await write(sendersPage.find, 'edge');
      await press(sendersPage.row('edge-hel').getByRole('button'));
      const card = sendersPage.panel.getByRole('region', { name: 'Time zone' });
      await expect(card).toContainText('20 of 20 of the last messages');
      await press(card.getByRole('button', { name: 'Use it from now on' }));
      await expect(page.getByText(/Times of edge-hel are read as/)).toBeVisible();
    });

    test('a logspace is checked and keeps its messages longer', async ({
      logspacesPage,
      logstead,
      page,
    }) => {
      await logstead.ingest(['one', 'two'], 'main');
      await page.goto(logstead.url('/'));
      await visit(page, 'Logspaces', 'g p');
      await press(logspacesPage.card('main'));
      await press(logspacesPage.button('Verify'));
      await expect(logspacesPage.card('main')).toContainText('intact');
      await write(logspacesPage.age, '120');
      await expect(page.getByText('Deletes nothing now.')).toBeVisible();
      await press(logspacesPage.button('Apply as a revision'));
      await expect(logspacesPage.card('main')).toContainText('120\u202fd');
    });

    test('an analyst is made, a token rotated, and the audit log has both', async ({
      adminPage,
      logstead,
      page,
    }) => {
      await logstead.ingest(['a login', 'a logout'], 'security');
      await logstead.makeToken('shipper');
      await page.goto(logstead.url('/'));
      await visit(page, 'Admin', 'g d');
      await press(adminPage.button('New user'));
      const { panel } = adminPage;
      await write(panel.getByLabel('Name', { exact: true }), 'lena');
      await write(panel.getByLabel('Password', { exact: true }), password);
      await write(panel.getByRole('textbox', { name: 'Only messages that match' }), 'login');
      // The suggestions cover part of the page.
      await page.keyboard.press('Escape');
      await expect(adminPage.preview.getByText('of 2 messages, 50 %')).toBeVisible();
      await press(adminPage.button('Create user'));
      await expect(adminPage.row(adminPage.users, 'lena')).toContainText('login');

      await press(adminPage.row(adminPage.tokens, 'shipper').getByRole('link'));
      await press(panel.getByRole('button', { name: 'Rotate…' }));
      await press(adminPage.button('Make a new secret'));
      await expect(page.getByLabel('Secret of shipper')).toBeVisible();
      await press(adminPage.button('I have copied it'));

      await press(adminPage.section('Audit'));
      for (const action of ['user.create', 'token.rotate']) {
        await expect(adminPage.audit.getByRole('cell', { name: action })).toBeVisible();
      }
    });

    test('settings are read, and a support report is saved', async ({
      adminPage,
      logstead,
      page,
    }) => {
      await page.goto(logstead.url('/'));
      await visit(page, 'Admin', 'g d');
      await press(adminPage.section('Settings'));
      await write(adminPage.settings.getByLabel('Find a setting'), 'web.listen');
      await expect(adminPage.settings.getByRole('row', { name: /^web\.listen/ })).toContainText(
        '--set web.listen',
      );
      await press(adminPage.section('Server'));
      await press(adminPage.button('Make a report'));
      await expect(adminPage.report.getByRole('group', { name: 'What it is' })).toBeVisible();
      const started = page.waitForEvent('download');
      await press(adminPage.button('Save'));
      expect((await started).suggestedFilename()).toMatch(/^logstead-support-/);
    });

    test('the router goes back to an earlier revision', async ({ logstead, page, routerPage }) => {
      await logstead.putRouter(defaultRouter);
      await page.goto(logstead.url('/'));
      await visit(page, 'Router', 'g r');
      await expect(routerPage.liveRevision(2)).toBeVisible();
      await press(routerPage.button('History'));
      await press(routerPage.revision(1).getByRole('button', { name: 'Roll back' }));
      const asked = page.getByRole('dialog', { name: 'Roll back to revision' });
      await write(asked.getByLabel('Comment'), 'back to the first');
      await press(asked.getByRole('button', { name: 'Roll back' }));
      await expect(routerPage.liveRevision(3)).toBeVisible();
    });
  });
}
