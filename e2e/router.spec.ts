// Keywords: router editor, document, apply.
import { expect, test } from './logstead';
import { defaultRouter } from './server';

test('a route made in the browser sends its messages to another logspace', async ({
  logstead,
  routerPage,
}) => {
  await routerPage.open();
  await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
  await routerPage.apply('keep logins apart');
  await expect(routerPage.liveRevision(2)).toBeVisible();

  await logstead.sendTcp(
    '<38>1 - web-1 sshd 77 - - session opened for ana',
    '<38>1 - web-1 nginx 78 - - session opened for a browser',
  );
  await expect.poll(() => logstead.count('session copies:all')).toBe(3);
  const apart = (await logstead.search('session copies:all')).filter(
    (found) => found.logspace === 'security',
  );
  expect(apart.map((found) => found.program)).toEqual(['sshd']);
});

test('a wrong key in the text is marked where it stands', async ({ routerPage }) => {
  await routerPage.open();
  await routerPage.show('Text');
  await routerPage.text.press('Control+End');
  await routerPage.text.pressSequentially(
    '\n[[logspaces]]\nid = "extra"\nretension = { age = "1d" }\n',
  );
  await routerPage.button('Validate').click();
  await expect(routerPage.alert).toContainText('retension');
});

test('the text editor offers the keys and the choices that fit', async ({ page, routerPage }) => {
  await routerPage.open();
  await routerPage.show('Text');
  await routerPage.text.press('Control+End');
  await routerPage.text.pressSequentially('\n[[destinations]]\nid = "away"\nkind = ');
  await expect(routerPage.suggestions).toContainText(['syslog', 'file', 'elastic']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(routerPage.text).toContainText('kind = "syslog"');

  await routerPage.text.pressSequentially('\nfra');
  await expect(routerPage.suggestions).toHaveText([/^framing.*a message begins with its length/]);
  await page.keyboard.press('Tab');
  await expect(routerPage.suggestions).toHaveText([/^octet.*default/, 'newline']);
  await page.keyboard.press('Escape');
  await expect(routerPage.suggestions).toHaveCount(0);
  await page.keyboard.press('Control+Space');
  await expect(routerPage.suggestions).toHaveCount(2);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(routerPage.text).toContainText('framing = "newline"');
});

test('an earlier revision can be made live again', async ({ logstead, routerPage }) => {
  await routerPage.open();
  await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
  await routerPage.apply('keep logins apart');
  await expect(routerPage.liveRevision(2)).toBeVisible();

  await routerPage.button('History').click();
  await expect(routerPage.revision(2)).toContainText('keep logins apart');
  await routerPage.rollBackTo(1, 'keep them together again');
  await expect(routerPage.liveRevision(3)).toBeVisible();

  await logstead.sendTcp('<38>1 - web-1 sshd 77 - - session opened for ana');
  await expect.poll(() => logstead.count('session copies:all')).toBe(1);
  expect((await logstead.search('session copies:all'))[0]?.logspace).toBe('main');
});

test('the way back shows what it changes, and asks for the logspaces that it removes', async ({
  page,
  routerPage,
}) => {
  await routerPage.open();
  await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
  await routerPage.button('Add a target').click();
  await page.getByRole('menuitem', { name: /^Logspace/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('extra');
  await routerPage.apply('keep logins apart');
  await expect(routerPage.liveRevision(2)).toBeVisible();

  await routerPage.showHistory();
  await routerPage.revision(1).getByRole('button', { name: 'Roll back' }).click();
  const asked = page.getByRole('dialog', { name: 'Roll back to revision 1' });
  await expect(asked).toContainText('route logins is removed');
  await expect(asked.getByRole('region', { name: 'Lines that change' })).toContainText(
    '-id = "logins"',
  );
  const back = asked.getByRole('button', { name: 'Roll back' });
  await expect(back).toBeDisabled();
  await asked.getByLabel('Type extra to confirm').fill('extra');
  await back.click();
  await expect(routerPage.liveRevision(3)).toBeVisible();
});

test('a restart does not make a revision younger', async ({ logstead, page, routerPage }) => {
  // Pretends that it was applied long ago, because a test cannot wait that long.
  await page.route('**/api/v1/router/revisions', async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { revisions: { created_at: string }[] };
    for (const one of list.revisions) one.created_at = '2026-01-02T03:04:05Z';
    await route.fulfill({ response, json: list });
  });
  await logstead.kill();
  await logstead.restart();
  await routerPage.open();
  const head = page.getByText(/^Revision 1, live/).locator('..');
  await expect(head).toContainText(/since 2026-01-02 0\d:04 by .*; server restarted 20/);
});

test.describe('a destination', () => {
  const destination = '[[destinations]]\nid = "copy"\nkind = "file"\npath = "copy.log"\n';
  test.use({
    server: {
      router: defaultRouter.replace('to = ["main"]', 'to = ["main", "copy"]') + destination,
    },
  });

  test('is paused, holds its messages, and is resumed', async ({ logstead, page, routerPage }) => {
    await routerPage.open();
    await routerPage.show('List');
    await page.getByRole('button', { name: 'Pause: copy' }).click();
    const destinations = page.getByRole('region', { name: 'Destinations' });
    await expect(destinations).toContainText('paused');
    await logstead.sendTcp('<38>1 - web-1 sshd 77 - - session opened for ana');
    await expect(destinations).toContainText('1 queued');
    await page.getByRole('button', { name: 'Resume: copy' }).click();
    await expect(destinations).not.toContainText('queued');
    await expect(destinations).not.toContainText('paused');
  });
});
