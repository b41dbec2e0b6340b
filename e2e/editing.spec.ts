// Keywords: query editor, typing.
import type { Page } from '@playwright/test';
import { expect, test } from './logstead';

const lines = [
  '<13>1 - shop-1 api 7 - - charge card=4929821157340412 ok',
  '<13>1 - shop-2 api 7 - - refund card=5404000000000076 ok',
  '<38>1 - web-1 sshd 9 - - session opened for ana',
];

test.describe('two editors', () => {
  test('changes of different entries go together after a refused apply', async ({
    logstead,
    page,
    routerPage,
    secondRouterPage,
  }) => {
    const ben = secondRouterPage;
    await routerPage.open();
    await ben.open();
    await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
    await ben.addRoute({ name: 'web', filter: 'program:nginx', sendTo: 'security' });
    await expect(ben.button('Apply…')).toBeEnabled();
    const release = await ben.holdStatus();
    await routerPage.apply('by ana');
    await expect(routerPage.liveRevision(2)).toBeVisible();

    const refused = ben.page.waitForResponse((response) => response.status() === 412);
    await ben.apply('by ben');
    await refused;
    await release();
    const merging = ben.page.getByRole('dialog', { name: /^Merge revision 2/ });
    await expect(merging).toContainText('changed different entries');
    await merging.getByRole('button', { name: 'Merge' }).click();
    await expect(merging).toBeHidden();
    await ben.apply('by both');
    await expect(ben.liveRevision(3)).toBeVisible();

    const { routes } = await logstead.routerDocument();
    expect(routes.map(({ id }) => id).sort()).toEqual(['default', 'logins', 'web']);
    await expect(page.getByRole('button', { name: 'Route web' })).toBeVisible();
  });

  test('of a route that both changed, both versions are shown, and the chosen one goes live', async ({
    logstead,
    routerPage,
    secondRouterPage,
  }) => {
    const ben = secondRouterPage;
    await routerPage.open();
    await ben.open();
    for (const [editor, filter] of [
      [routerPage, 'host:web-1'],
      [ben, 'host:web-2'],
    ] as const) {
      await editor.route('default').click();
      await editor.form.getByRole('textbox', { name: 'Filter' }).fill(filter);
      await expect(editor.button('Apply…')).toBeEnabled();
    }
    await routerPage.apply('by ana');
    await expect(ben.button('Merge…')).toBeVisible();

    await ben.button('Merge…').click();
    const choice = ben.dialog.getByRole('radiogroup', { name: 'Route default' });
    await expect(choice).toContainText('host:web-1');
    await expect(choice).toContainText('host:web-2');
    await expect(ben.dialog.getByRole('button', { name: 'Merge (1 to choose)' })).toBeDisabled();
    await choice.getByRole('radio', { name: 'Revision 2' }).check();
    await choice.getByRole('radio', { name: 'This draft' }).check();
    await ben.dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await ben.apply('by ben');
    await expect(ben.liveRevision(3)).toBeVisible();
    const { routes } = await logstead.routerDocument();
    expect(routes[0]?.where).toBe('host:web-2');
  });
});

test('a route with steps made by hand changes what a socket sends, and its rate moves', async ({
  logstead,
  page,
  routerPage,
  searchPage,
}) => {
  await routerPage.open();
  await routerPage.addRoute({ name: 'cards', filter: 'program:api', sendTo: 'security' });
  await routerPage.addStep('mask');
  await routerPage.form.getByLabel('Expression').fill('\\b\\d{16}\\b');
  await routerPage.addStep('set');
  await routerPage.form.getByLabel('Fields').fill('zone = shop');
  await routerPage.form.getByRole('radio', { name: /^Ends here/ }).check();
  await routerPage.apply('no card numbers');
  await expect(routerPage.liveRevision(2)).toBeVisible();
  await page.getByRole('button', { name: 'Close', exact: true }).click();

  await logstead.sendTcp(...lines);
  await logstead.sendUdp('<13>1 - shop-3 api 7 - - charge card=4000000000000002 by UDP');
  await expect(routerPage.route('cards')).toContainText(/[1-9]\d*(\.\d+)?\/s|0\.\d*[1-9]\d*\/s/);
  await expect.poll(() => logstead.count('zone:shop')).toBe(3);

  await searchPage.open({ q: 'zone:shop', spaces: 'security' });
  await expect(searchPage.found).toHaveCount(3);
  await expect(searchPage.message('charge card=**** by UDP')).toBeVisible();
  await searchPage.show('refund card=**** ok');
  await expect(searchPage.details).toContainText('zone');
  await expect(searchPage.details).toContainText('shop');
  expect(await logstead.count('4929821157340412')).toBe(0);
  const [login] = await logstead.search('program:sshd');
  expect(login?.logspace).toBe('main');

  // A rate covers the last second, so the page is opened before the messages are sent.
  await routerPage.open();
  await routerPage.show('List');
  await expect(routerPage.route('cards')).toContainText('0/s');
  await logstead.sendTcp(...lines);
  await expect(routerPage.route('cards')).toContainText(/[1-9]\/s/);
});

test('a new route stands above the one that takes everything, and asks: a copy, or instead?', async ({
  logstead,
  page,
  routerPage,
}) => {
  await routerPage.open();
  await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
  await expect(routerPage.route('logins')).toContainText('1');
  await expect(routerPage.route('default')).toContainText('2');
  const choice = routerPage.form.getByRole('radiogroup', { name: 'A copy, or instead?' });
  await expect(choice.getByRole('radio', { checked: true })).toHaveCount(0);
  await expect(choice.getByRole('radio', { name: /^Also goes on/ })).toContainText(
    'A copy: default can take them too, and send them to main.',
  );
  const instead = choice.getByRole('radio', { name: /^Ends here/ });
  await expect(instead).toContainText('default no longer gets them');
  await instead.check();
  await expect(page.getByRole('radiogroup', { name: 'Afterwards' })).toBeVisible();
  await routerPage.apply('logins alone');
  await expect(routerPage.liveRevision(2)).toBeVisible();
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('*')).toBe(lines.length);
  const [login] = await logstead.search('program:sshd');
  expect(login?.logspace).toBe('security');
});

test('a form has what is always set in sight, and the rest in groups that say what is set', async ({
  page,
  routerPage,
}) => {
  await routerPage.open();
  await page.getByRole('button', { name: 'Source syslog' }).click();
  const form = page.getByRole('region', { name: 'Source syslog' });
  await expect(form.getByLabel('Listen on')).toBeVisible();
  const framing = form.getByLabel('Framing');
  await expect(framing).toBeHidden();
  const parsing = form.locator('details').filter({ hasText: 'Parsing' });
  await expect(parsing).toContainText('defaults');
  await parsing.getByText('Parsing').click();
  await expect(framing.locator('option:checked')).toHaveText('auto (default)');
  await framing.selectOption('newline');
  await parsing.getByText('Parsing').click();
  await expect(framing).toBeHidden();
  await expect(parsing).toContainText('Framing newline');

  // Fields with a problem are never folded away.
  await form.getByText('Limits').click();
  await form.getByLabel('Longest message').fill('much');
  await form.getByText('Limits').click();
  await expect(form.getByLabel('Longest message')).toBeVisible();
  await expect(form.getByLabel('Longest message')).toHaveAttribute('aria-invalid', 'true');
});

test('what is removed or discarded can be taken back', async ({ page, routerPage }) => {
  const said = page.getByRole('region', { name: 'Notifications' });
  const logspace = routerPage.button('Logspace security');
  await routerPage.open();
  await logspace.click();
  await routerPage.button('Remove').click();
  await expect(logspace).toBeHidden();
  await expect(said).toContainText('Logspace security is removed from the draft');
  await said.getByRole('button', { name: 'Undo' }).click();
  await expect(logspace).toBeVisible();

  await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
  await routerPage.button('Discard').click();
  await expect(routerPage.route('logins')).toBeHidden();
  await said.getByRole('button', { name: 'Undo' }).click();
  await expect(routerPage.route('logins')).toBeVisible();

  // After another change, Undo would take back that one.
  await routerPage.button('Discard').click();
  await expect(said).toContainText('The draft is discarded');
  await routerPage.addRoute({ name: 'web', filter: 'program:nginx', sendTo: 'security' });
  await expect(said).not.toContainText('The draft is discarded');
});

test('a logspace is removed only by its name, and what happens to its messages is said', async ({
  logstead,
  page,
  routerPage,
}) => {
  await routerPage.open();
  await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
  await routerPage.form.getByRole('radio', { name: /^Ends here/ }).check();
  await routerPage.apply('logins alone');
  await expect(routerPage.liveRevision(2)).toBeVisible();
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('program:sshd')).toBe(1);

  await routerPage.route('logins').focus();
  await routerPage.route('logins').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Logspace security' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(routerPage.button('Apply…')).toBeEnabled();
  // The undo notification is shown above the bar, not over its buttons.
  const undo = page.getByRole('region', { name: 'Notifications' }).getByText('Undo').first();
  await expect(undo).toBeVisible();
  await routerPage.button('Apply…').click({ timeout: 6_000 });
  await expect(routerPage.dialog).toContainText(/Its 1 message \(.*\) stay on disk/);
  await expect(routerPage.dialog).toContainText('its retention (90d) no longer applies');
  const apply = routerPage.dialog.getByRole('button', { name: 'Apply' });
  await expect(apply).toBeDisabled();
  await routerPage.dialog.getByLabel('Type security to confirm').fill('security');
  await apply.click();
  await expect(routerPage.liveRevision(3)).toBeVisible();
  expect(await logstead.count('program:sshd')).toBe(1);
});

test.describe('text and canvas', () => {
  test('are two sides of one draft', async ({ page, routerPage }) => {
    await routerPage.open();
    await routerPage.show('Text');
    await routerPage.text.press('Control+End');
    await routerPage.text.pressSequentially(
      '\n[[routes]]\nid = "logins"\nwhere = "program:sshd"\nto = ["security"]\n',
    );
    await routerPage.show('Canvas');
    await expect(routerPage.route('logins')).toContainText('program:sshd');
    await routerPage.show('List');
    await expect(routerPage.route('logins')).toContainText('security');

    await routerPage.route('logins').click();
    await routerPage.form.getByRole('button', { name: 'Rename' }).click();
    await routerPage.form.getByRole('textbox', { name: 'Name' }).fill('sessions');
    await routerPage.show('Text');
    await expect(routerPage.text).toContainText('id = "sessions"');
    await expect(routerPage.text).not.toContainText('id = "logins"');
    await page.reload();
    await expect(routerPage.text).toContainText('id = "sessions"');
  });

  test('a broken text shows where it breaks, and is kept', async ({ page, routerPage }) => {
    await routerPage.open();
    await routerPage.show('Text');
    await routerPage.text.press('Control+End');
    await routerPage.text.pressSequentially('\n[[routes]]\nid = "half\n');
    await expect(routerPage.alert).toContainText(/line \d+, column \d+/);
    await expect(routerPage.marks).toHaveCount(1);
    await expect(routerPage.button('Apply…')).toBeDisabled();

    await routerPage.show('Canvas');
    await expect(page.getByText('The text cannot be read as a document')).toBeVisible();
    await page.reload();
    await routerPage.show('Text');
    await expect(routerPage.text).toContainText('id = "half');

    await routerPage.text.press('Control+End');
    await routerPage.text.press('ArrowUp');
    await routerPage.text.press('End');
    await routerPage.text.pressSequentially('"\nto = ["main"]');
    await expect(routerPage.alert).toBeHidden();
    await routerPage.show('Canvas');
    await expect(routerPage.route('half')).toBeVisible();
  });
});

test('problems are docked below the text, by name, and the line that is written on stays in sight', async ({
  page,
  routerPage,
}) => {
  await page.setViewportSize({ width: 1280, height: 450 });
  await routerPage.open();
  await routerPage.show('Text');
  await routerPage.text.press('Control+End');
  await routerPage.text.pressSequentially(
    '\n[[routes]]\nid = "logins"\nwhere = "severity:wrong"\nto = ["nowhere", "neither"]\nfinal = 3',
  );
  const problems = page.getByRole('region', { name: 'Problems' });
  await expect(problems).toContainText('Route logins, filter');
  await expect(problems).not.toContainText('routes[');
  await expect(page.locator('.cm-lintRange-error').first()).toBeVisible();
  const line = page.locator('.cm-activeLine');
  await expect(line).toContainText('final = 3');
  const [caret, dock] = [await line.boundingBox(), await problems.boundingBox()];
  expect(caret && dock && caret.y + caret.height <= dock.y).toBe(true);

  await problems.getByRole('button', { name: 'Route logins, filter' }).click();
  await expect(routerPage.text).toBeFocused();
  await expect(line).toContainText('severity:wrong');
});

test('a problem in a form moves nothing on the canvas', async ({ page, routerPage }) => {
  await routerPage.open();
  await routerPage.route('default').click();
  const before = await routerPage.route('default').boundingBox();
  await routerPage.form.getByRole('textbox', { name: 'Filter' }).fill('severity:wrong');
  await page.getByRole('button', { name: '1 problem' }).click();
  await expect(routerPage.alert.filter({ hasText: 'One problem' })).toContainText(
    'Route default, filter',
  );
  expect(await routerPage.route('default').boundingBox()).toEqual(before);
});

test('a route is made, tried and confirmed by keyboard alone', async ({
  logstead,
  page,
  routerPage,
}) => {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('*')).toBeGreaterThanOrEqual(lines.length);
  await routerPage.open();
  await expect(routerPage.route('default')).toBeVisible();
  await press('n');
  await expect(routerPage.form.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await press('Control+a');
  await page.keyboard.type('cards');
  await tabTo(page, routerPage.form.getByRole('textbox', { name: 'Filter' }));
  await page.keyboard.type('program:api');
  await press('Escape');

  const steps = routerPage.form.getByRole('region', { name: 'Steps' });
  for (const kind of ['mask', 'tag']) {
    await tabTo(page, steps.getByRole('button', { name: 'Add step' }));
    await press('Enter');
    await expect(page.getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.type(kind);
    await expect(page.getByRole('menuitem', { name: new RegExp(`^${kind}`) })).toBeFocused();
    await press('Enter');
    await expect(routerPage.step(kind)).toBeVisible();
  }
  await tabTo(page, steps.getByLabel('Tags'));
  await page.keyboard.type('pci');
  await tabTo(page, routerPage.step('tag'), 'Shift+Tab');
  await press('Alt+ArrowUp');
  await expect(steps.getByRole('listitem')).toHaveText([/^1tag/, /^2mask/]);
  await expect(routerPage.step('tag')).toBeFocused();
  await press('Alt+ArrowDown');
  await expect(steps.getByRole('listitem')).toHaveText([/^1mask/, /^2tag/]);
  await expect(routerPage.step('tag')).toBeFocused();

  await tabTo(page, routerPage.form.getByRole('button', { name: 'Add target' }));
  await press('Enter');
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.type('security');
  await press('Enter');
  for (const [key, place] of [
    ['ArrowDown', '2'],
    ['ArrowUp', '1'],
    ['ArrowDown', '2'],
  ] as const) {
    await press(`Alt+${key}`);
    await expect(routerPage.route('cards')).toContainText(place);
    await expect(routerPage.route('cards')).toBeFocused();
  }
  await press('ArrowUp');
  await expect(routerPage.route('default')).toBeFocused();

  await press('t');
  await expect(page.getByText(/would change/)).toBeVisible();
  await tabTo(page, page.getByRole('button', { name: / to .*, 2 messages, / }));
  await press('Enter');
  await expect(page.getByRole('region', { name: 'One outcome' })).toContainText('pci');
  await tabTo(page, routerPage.button('Close the test'), 'Shift+Tab');
  await press('Enter');

  await expect(routerPage.button('Apply…')).toBeEnabled();
  await press('a');
  await expect(routerPage.dialog.getByLabel('Comment')).toBeFocused();
  await page.keyboard.type('no hands');
  await tabTo(page, routerPage.dialog.getByRole('button', { name: 'Apply' }));
  await press('Enter');
  await expect(routerPage.liveRevision(2)).toBeVisible();
  await tabTo(page, routerPage.button('Confirm'));
  await press('Enter');
  await expect(routerPage.button('Confirm')).toBeHidden();
  const { routes } = await logstead.routerDocument();
  expect(routes.map(({ id }) => id)).toEqual(['default', 'cards']);
  expect(routes[1]?.steps?.map((step) => Object.keys(step)[0])).toEqual(['mask', 'tag']);
});

/** Presses the key repeatedly until the element has the focus. */
async function tabTo(page: Page, to: ReturnType<Page['locator']>, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await to.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  await expect(to).toBeFocused();
}
