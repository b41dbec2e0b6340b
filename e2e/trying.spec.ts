// Keywords: dry run, draft, preview.
import { readFile } from 'node:fs/promises';
import { expect, test } from './logstead';
import { defaultRouter } from './server';

const now = new Date().toISOString();
const lines = [
  `<13>1 ${now} shop-1 api 7 - - charge card=4929821157340412 ok`,
  `<13>1 ${now} shop-2 api 7 - - refund card=5404000000000076 ok`,
  `<11>1 ${now} db-1 pg 9 - - disk is full`,
];

test('a step made by hand is tried on history, applied on trial and confirmed', async ({
  page,
  logstead,
  routerPage,
}) => {
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('source=syslog')).toBe(3);
  await routerPage.open();
  await page.getByRole('button', { name: /^Route default/ }).click();
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('menuitem', { name: /^Mask/i }).click();
  await page.getByLabel('Expression').fill('\\b\\d{16}\\b');
  await expect(page.getByText(/changes 2 of \d/)).toBeVisible();

  await routerPage.button('Test on history').click();
  await expect(page.getByText('2 of 3 would change')).toBeVisible();
  await page.getByRole('button', { name: /to .*, 3 messages/ }).click();
  const outcome = page.getByRole('region', { name: 'One outcome' });
  await expect(outcome.getByText('charge card=').first()).toBeVisible();
  await page.getByRole('button', { name: 'Close the test' }).click();

  await routerPage.apply('no card numbers');
  await expect(routerPage.liveRevision(2)).toBeVisible();
  await logstead.sendTcp('<13>1 - shop-3 api 7 - - charge card=4929821157340412 again');
  await expect.poll(() => logstead.count('again')).toBe(1);
  expect((await logstead.search('again'))[0]?.message).toBe('charge card=**** again');
  await routerPage.button('Confirm').click();
  await expect(routerPage.button('Confirm')).toBeHidden();
});

test('a message is traced from where it was found', async ({ page, logstead }) => {
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('source=syslog')).toBe(3);
  const [message] = await logstead.search('refund');
  await page.goto(logstead.url(`/router?trace=${encodeURIComponent(message?.id ?? '')}`));
  const trace = page.getByRole('region', { name: 'Trace' });
  await expect(trace.getByText('refund card=5404000000000076 ok')).toBeVisible();
  await expect(trace.getByText('it takes every message')).toBeVisible();
  await expect(trace.getByText('Ends up in')).toBeVisible();
});

test('a message is muted in a route that takes it, without leaving the console', async ({
  logstead,
  page,
  routerPage,
  searchPage,
}) => {
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('source=syslog')).toBe(3);
  await routerPage.open();
  await routerPage.addRoute({ name: 'database', filter: 'program:pg', sendTo: 'security' });
  await routerPage.addRoute({ name: 'web', filter: 'program:nginx', sendTo: 'security' });
  await routerPage.apply('apart');
  await expect(routerPage.liveRevision(2)).toBeVisible();

  await searchPage.open({ q: 'disk' });
  await searchPage.show('disk is full');
  const loads: string[] = [];
  page.on('load', () => loads.push(page.url()));
  await page.getByRole('button', { name: 'Mute this in a route' }).click();
  const offered = routerPage.dialog.getByLabel('Route');
  await expect(offered.getByRole('option')).toHaveText(['database', 'default']);
  await offered.selectOption('default');
  await routerPage.dialog.getByRole('button', { name: 'Add the step' }).click();
  await expect(routerPage.form.getByRole('heading', { name: 'default' })).toBeVisible();
  await expect(routerPage.step('drop')).toContainText('host=db-1 program=pg');
  expect(loads).toEqual([]);
});

test.describe('a route that drops what it has had', () => {
  const steps = 'steps = [{ dedup = ["message"], within = "1h" }]\n';
  test.use({ server: { router: defaultRouter.trimEnd() + `\n${steps}` } });

  test('a finding says what a new step does to an old one, and undoes it', async ({
    logstead,
    page,
    routerPage,
  }) => {
    await logstead.sendTcp(
      ...lines,
      lines[0]?.replace('4929821157340412', '5404000000000076') ?? '',
    );
    await expect.poll(() => logstead.count('source=syslog')).toBe(4);
    await routerPage.open();
    await page.getByRole('button', { name: /^Route default/ }).click();
    await routerPage.addStep('mask');
    await page.getByLabel('Expression').fill('\\b\\d{16}\\b');
    await routerPage.button('Move step up').click();
    await routerPage.button('Test on history').click();

    const findings = page.getByRole('region', { name: 'Findings' });
    await expect(findings.getByText('1 message reaches main no more.')).toBeVisible();
    const outcome = page.getByRole('region', { name: 'One outcome' });
    const heading = 'main to dropped by default, step 2';
    await expect(outcome.getByRole('heading', { name: heading })).toBeVisible();
    await findings.getByRole('button', { name: 'Move dedup before mask' }).click();
    await expect(findings.getByText('No findings')).toBeVisible();
    await expect(page.getByText('3 of 4 would change')).toBeVisible();
    await expect(page.getByText(/Tested on the last hour, no findings/)).toBeVisible();
  });
});

test('a saved search is tried, the report is kept, and another page loses nothing of it', async ({
  logstead,
  page,
  routerPage,
  searchPage,
  actions,
}) => {
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('source=syslog')).toBe(3);
  await searchPage.open({ q: 'program=api | stats count() by host', from: '-15m' });
  await actions.open('Save');
  await actions.dialog.getByLabel('Name').fill('Shops');
  await actions.dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(actions.dialog).toBeHidden();

  await routerPage.open();
  await routerPage.addRoute({ name: 'shops', filter: 'program:api', sendTo: 'security' });
  await routerPage.button('Test on history').click();
  await expect(page.getByText('2 of 3 would change')).toBeVisible();
  await routerPage.button('Saved searches').click();
  await page.getByRole('button', { name: /^Shops/ }).click();
  await expect(page.getByText('2 of 2 would change')).toBeVisible();
  await expect(page.getByText('Its stages are left out')).toBeVisible();
  await expect(page.getByRole('radio', { name: '15 min' })).toBeChecked();

  const started = page.waitForEvent('download');
  await routerPage.button('Report').click();
  await page.getByRole('menuitem', { name: 'Download as Markdown' }).click();
  const report = await readFile(await (await started).path(), 'utf8');
  expect(report).toContain('- Live: revision 1');
  expect(report).toContain('| main | main + security | 2 | 0 | gained | shops |');

  await page.getByRole('button', { name: 'Close the test' }).click();
  await expect(page.getByText('Tested on a search, no findings')).toBeVisible();
  await routerPage.button('Test on history').click();
  await expect(page.getByText('2 of 2 would change')).toBeVisible();
});

test('pasted messages of the HTTP source are read as they are ingested, by keys alone', async ({
  page,
  routerPage,
}) => {
  await routerPage.open();
  await routerPage.addRoute({ name: 'failed', filter: 'status>=500', sendTo: 'security' });
  await routerPage.button('Test on history').click();
  await expect(page.getByText('There is no message to try the draft on')).toBeVisible();
  await routerPage.button('Paste messages').click();
  await page.getByLabel('As if received by').selectOption('http');
  const pasted = '{"msg":"no","status":503}\n{"msg":"fine","status":200}';
  await page.getByLabel('Messages', { exact: true }).fill(pasted);
  await routerPage.button('Test again').click();
  await expect(page.getByText('1 of 2 would change')).toBeVisible();

  const gained = page.getByRole('button', { name: /^main to main \+ security, 1 message,/ });
  await gained.focus();
  await page.keyboard.press('ArrowLeft');
  const same = page.getByRole('button', { name: /^main to main, 1 message, unchanged/ });
  await expect(same).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'One outcome' }).getByText('fine')).toBeVisible();
});
