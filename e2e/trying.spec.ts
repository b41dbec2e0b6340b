import { expect, test } from './logstead';

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
  await routerPage.button('Test').click();
  await expect(page.getByText('2 of 3 would change')).toBeVisible();
  await page.getByRole('button', { name: /to .*, 3 messages/ }).click();
  const outcome = page.getByRole('complementary', { name: 'One outcome' });
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
