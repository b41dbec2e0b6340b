// Keywords: histogram, zoom, time range.
import { expect, test } from './logstead';

const MINUTE_MS = 60_000;

/** The time this many minutes ago, in the format of a message. */
function ago(minutes: number): string {
  return new Date(Date.now() - minutes * MINUTE_MS).toISOString();
}

const beats = [
  ...[50, 40, 30].map((at) => `<38>1 ${ago(at)} web-1 app - - [x zone="eu"] beat`),
  ...[20, 10].map((at) => `<35>1 ${ago(at)} web-2 app - - [x zone="us"] beat`),
  // These are in the previous hour.
  ...[90, 80, 70].map((at) => `<38>1 ${ago(at)} web-1 app - - - beat`),
];

test.beforeEach(async ({ logstead }) => {
  await logstead.sendTcp(...beats);
  await expect.poll(() => logstead.count('beat')).toBe(beats.length);
});

test('the legend shows one value alone', async ({ page, searchPage }) => {
  await searchPage.open({ q: 'beat', refresh: 'off' });
  const legend = page.getByRole('list', { name: 'Bars by severity' });
  const errors = legend.getByRole('button', { name: 'err 2' });
  await errors.click();
  await expect(errors).toHaveAttribute('aria-pressed', 'true');
  await searchPage.timeline.focus();
  await page.keyboard.press('Home');
  await expect(searchPage.timeline).not.toHaveAttribute('aria-valuetext', /info/);
  await errors.click();
  await expect(errors).toHaveAttribute('aria-pressed', 'false');
  await errors.click({ modifiers: ['Alt'] });
  await expect.poll(() => searchPage.written()).toBe('beat -severity=err');
});

test('the bars are broken down by any field of the messages', async ({ page, searchPage }) => {
  await searchPage.open({ q: 'beat', refresh: 'off' });
  await expect(searchPage.fields.head('x.zone')).toBeVisible();
  await page.getByRole('combobox', { name: 'Break down by' }).selectOption('x.zone');
  const legend = page.getByRole('list', { name: 'Bars by x.zone' });
  await expect(legend.getByRole('button', { name: /^eu 3$/ })).toBeVisible();
  await expect(legend.getByRole('button', { name: /^us 2$/ })).toBeVisible();
});

test('the range before is a line, which can be hidden', async ({ page, searchPage }) => {
  await searchPage.open({ q: 'beat', refresh: 'off' });
  const line = page.getByRole('button', { name: /^1 h before/ });
  await expect(line).toHaveAccessibleName('1 h before 3');
  await line.click();
  await expect(line).toHaveAttribute('aria-pressed', 'false');
  await page.reload();
  await expect(line).toHaveAttribute('aria-pressed', 'false');
});

test('a bar names the router revisions that went live in it, to users who may read them', async ({
  logstead,
  page,
  routerPage,
  searchPage,
}) => {
  await routerPage.open();
  await routerPage.addRoute({ name: 'logins', filter: 'program:sshd', sendTo: 'security' });
  await routerPage.apply('keep logins apart');
  await expect(routerPage.liveRevision(2)).toBeVisible();
  const reachNewest = async () => {
    await searchPage.open({ refresh: 'off' });
    await searchPage.timeline.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+PageUp');
  };
  await reachNewest();
  const told = /\d\d:\d\d:\d\d: Router revision 2 by admin: keep logins apart/;
  await expect(searchPage.timeline).toHaveAttribute('aria-valuetext', told);
  await expect(page.getByText(told)).toBeVisible();

  const password = 'correct horse battery';
  await logstead.addUser({ name: 'ana', role: 'analyst', password, logspaces: ['main'] });
  await page.request.post(logstead.url('/api/v1/session'), { data: { name: 'ana', password } });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await reachNewest();
  await expect(searchPage.timeline).toHaveAttribute('aria-valuetext', /messages/);
  await expect(searchPage.timeline).not.toHaveAttribute('aria-valuetext', /Router revision/);
  expect(asked.filter((url) => url.includes('/router/revisions'))).toEqual([]);
});

test('it folds to one line and grows with the window', async ({ page, searchPage }) => {
  await searchPage.open({ q: 'beat', refresh: 'off' });
  const region = page.getByRole('region', { name: 'Messages over time' });
  await expect(searchPage.timeline).toBeVisible();
  const heights = [];
  for (const height of [660, 1000, 2000]) {
    await page.setViewportSize({ width: 1280, height });
    heights.push((await searchPage.timeline.boundingBox())?.height);
  }
  expect(heights).toEqual([100, 140, 180]);
  await page.getByRole('button', { name: 'Histogram', exact: true }).click();
  await expect(searchPage.timeline).toBeHidden();
  expect((await region.boundingBox())?.height).toBeLessThanOrEqual(34);
});
