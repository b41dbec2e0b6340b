// Keywords: tasks of newcomers.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CountingHands } from './effort';
import { tabsTo } from './hands';
import { expect, test as base } from './logstead';
import { cron, firewall, loginAccepted, loginFailed, nginx, shop, sudo, times } from './programs';
import { admin, defaultRouter, type Logstead } from './server';

/**
 * What people come for, done by somebody who has never seen the console. Each task has a limit to what it may take, which
 * is what it took when it was counted by hand; a change of the console that makes it longer fails here.
 */
const test = base.extend<{ hands: CountingHands }>({
  hands: async ({ page }, use) => {
    await use(new CountingHands(page));
  },
});

const run = promisify(execFile);

// The console in its initial state.
test.use({
  folds: true,
  viewport: { width: 1440, height: 900 },
  contextOptions: { reducedMotion: 'no-preference' },
});

async function send(logstead: Logstead, lines: readonly string[]): Promise<void> {
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('-source=internal')).toBe(lines.length);
}

test.describe('on a new server', () => {
  test.use({
    signedIn: false,
    server: { administrator: false },
    permissions: ['clipboard-read', 'clipboard-write'],
  });

  test('1: a first message is sent and found', async ({
    hands,
    loginPage,
    logstead,
    page,
    searchPage,
    welcomePage,
  }) => {
    // The link that the server prints.
    await loginPage.open(`/setup#${logstead.setupCode}`);
    await hands.write(page.getByLabel('Password', { exact: true }), admin.password);
    await hands.click(loginPage.createButton);
    await expect(welcomePage.loggerCommand).toContainText(logstead.listener('tcp:').port);
    await hands.click(page.getByRole('button', { name: 'Copy logger command' }));
    await run('sh', ['-c', await hands.paste()]);
    await expect(welcomePage.arrived).toContainText('hello logstead test-');
    await hands.click(welcomePage.goOn);
    await hands.click(page.getByRole('list').getByRole('button', { name: /^hello/ }));
    await expect(searchPage.message('hello logstead test-')).toBeVisible();
    hands.expectAtMost({ fields: 2, clicks: 4, pastes: 1 });
  });
});

test('2: why logins fail on the noisiest host', async ({ hands, logstead, page, searchPage }) => {
  await send(logstead, [
    ...times(30, (n) =>
      loginFailed({ minutes: n + 1, host: 'bastion-1' }, 'oracle', '203.0.113.66'),
    ),
    ...times(10, (n) =>
      loginFailed({ minutes: n + 2, host: 'bastion-1' }, 'backup', '198.51.100.23'),
    ),
    ...times(8, (n) => loginAccepted({ minutes: n + 1, host: 'bastion-1' }, 'deploy')),
    ...times(12, (n) => cron({ minutes: n + 1, host: 'bastion-1' })),
    ...times(9, (n) => loginFailed({ minutes: n + 1, host: 'web-1' }, 'test', '192.0.2.9')),
    ...times(20, (n) => nginx({ minutes: n + 1, host: 'web-1' }, '/cart', 200)),
    ...times(15, (n) => firewall({ minutes: n + 1, host: 'edge-fw' }, '10.0.3.7', 'deny')),
  ]);
  await searchPage.openBlank({ from: '-1h' });
  const noisiest = page.getByRole('region', { name: 'Noisiest host' });
  await hands.click(noisiest.getByRole('button', { name: /^bastion-1/ }));
  await hands.click(searchPage.fields.value('program', 'sshd'));
  await expect.poll(() => searchPage.total()).toBe(48);
  await hands.drag(() => searchPage.select('Failed password', 'Failed password'));
  await hands.click(page.getByRole('menuitem', { name: 'Only messages with this text' }));
  await expect.poll(() => searchPage.total()).toBe(40);

  const reason = 'Failed password for invalid user';
  for (const who of ['oracle from 203.0.113.66', 'backup from 198.51.100.23'])
    await expect(searchPage.message(`${reason} ${who}`).first()).toBeInViewport({ ratio: 1 });
  await expect(searchPage.message('Accepted')).toHaveCount(0);
  await expect(searchPage.message('192.0.2.9')).toHaveCount(0);
  const { clicks, drags } = hands.effort;
  expect(clicks + drags).toBeLessThanOrEqual(4);
  hands.expectAtMost({ clicks: 3, drags: 1 });
});

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('3: a burst is looked at closely and shown to somebody else', async ({
    browser,
    hands,
    logstead,
    page,
    searchPage,
    searchPageOf,
  }) => {
    await send(logstead, [
      ...times(200, (n) => nginx({ minutes: 12 * 60 + n / 10, host: 'web-1' }, '/cart', 502)),
      ...times(60, (n) => nginx({ minutes: 23 * n + 1, host: 'web-1' }, '/cart', 200)),
    ]);
    await searchPage.open({ q: 'program=nginx', from: '-24h' });
    await expect.poll(() => searchPage.total()).toBe(260);
    await hands.drag(() => searchPage.zoom(0.4, 0.6));
    await expect.poll(() => searchPage.total()).toBeLessThan(230);
    const total = (await searchPage.total()) ?? 0;
    expect(total).toBeGreaterThanOrEqual(200);
    await hands.click(page.getByRole('button', { name: 'Share', exact: true }));
    await hands.click(searchPage.dialog.getByRole('button', { name: 'Copy link' }));
    await expect(searchPage.dialog.getByRole('button', { name: 'Copied' })).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    hands.expectAtMost({ drags: 1, clicks: 2 });

    // Another browser, with another time zone, another theme and no stored data.
    const other = await browser.newContext({
      colorScheme: 'dark',
      timezoneId: 'America/New_York',
    });
    await other.request.post(logstead.url('/api/v1/session'), { data: admin });
    const opened = searchPageOf(await other.newPage());
    await opened.visit(link);
    await expect.poll(() => opened.total()).toBe(total);
    await other.close();
  });
});

test('4: noise is left out, and some of it comes back', async ({ hands, logstead, searchPage }) => {
  const { fields } = searchPage;
  await send(logstead, [
    ...times(40, (n) => cron({ minutes: n + 1, host: 'web-1' })),
    ...times(30, (n) => nginx({ minutes: n + 1, host: 'web-1' }, '/health', 200)),
    ...times(20, (n) => loginAccepted({ minutes: n + 1, host: 'web-1' }, 'deploy')),
    sudo({ minutes: 3, host: 'web-1' }, 'eve', '/bin/cat /etc/shadow'),
  ]);
  await searchPage.open({ q: 'host=web-1' });
  await expect.poll(() => searchPage.total()).toBe(91);
  let left = 91;
  for (const [program, count] of [
    ['cron', 40],
    ['nginx', 30],
    ['sshd', 20],
  ] as const) {
    await hands.altClick(fields.value('program', program));
    left -= count;
    await expect.poll(() => searchPage.total()).toBe(left);
  }
  await expect(searchPage.found).toHaveCount(1);
  await expect(searchPage.message('eve : command not allowed')).toBeVisible();

  const clause = await searchPage.clause('-program=sshd');
  await hands.click(clause.getByRole('button', { name: /^Switch off/ }));
  await expect.poll(() => searchPage.total()).toBe(21);
  await expect(searchPage.message('Accepted publickey for deploy').first()).toBeVisible();
  hands.expectAtMost({ clicks: 4 });
});

test('5: a message is read as it came, among its neighbours, and beside another one', async ({
  hands,
  logstead,
  searchPage,
}) => {
  const paid = (order: number, status: number) =>
    shop({ minutes: 20 - order, host: 'shop-1' }, { path: '/pay', took: 90, status, order });
  await send(logstead, [
    ...[1, 2, 3].map((order) => paid(order, 200)),
    paid(4, 502),
    ...[5, 6].map((order) => paid(order, 200)),
  ]);
  const { drawer } = searchPage;
  await searchPage.open({ q: 'program=shop order:(4 OR 5)' });
  await expect(searchPage.found).toHaveCount(2);
  await hands.click(searchPage.message('payment sent').getByText('payment sent'));
  await hands.click(drawer.region.getByRole('tab', { name: 'Raw' }));
  await expect(drawer.raw).toContainText('"msg":"payment sent","order":5');
  await hands.click(drawer.region.getByRole('tab', { name: 'Context' }));
  await expect(drawer.around).toHaveCount(6);

  await hands.press('x j x C');
  const status = searchPage.dialog.getByRole('table').getByRole('row', { name: /^status/ });
  await expect(status.getByRole('cell')).toHaveText(['200', '502']);
  // One key for the message, and one for each tab.
  hands.expectAtMost({ clicks: 3, keys: 4 });
});

test('6: which path is slow', async ({ hands, logstead, searchPage, statistics }) => {
  await send(
    logstead,
    times(40, (n) => {
      const one = n % 2 === 0 ? { path: '/pay', took: 1_900 + n } : { path: '/cart', took: 12 };
      const of = { ...one, status: 200, order: n };
      return shop({ minutes: n / 2 + 1, host: 'shop-1' }, of);
    }),
  );
  await searchPage.openBlank({ from: '-1h' });
  await searchPage.editor();
  await hands.press('/');
  await hands.type('program=shop | stats avg(took) by path');
  await hands.press('Enter');
  const rows = () => statistics.rows();
  await expect.poll(rows).toEqual([
    ['/pay', '1.92\u202fs'],
    ['/cart', '12.0\u202fms'],
  ]);
  await expect(statistics.chart).toBeVisible();
  // The query was also typed when this was counted by hand, which gave no number: one query, the key to reach the
  // field and Enter.
  hands.expectAtMost({ fields: 1, keys: 2 });
});

test('7: a search is saved and opened again', async ({
  actions,
  hands,
  logstead,
  page,
  searchPage,
}) => {
  await send(logstead, [
    ...times(12, (n) => nginx({ minutes: n + 1, host: 'web-1' }, '/cart', 502)),
    ...times(12, (n) => cron({ minutes: n + 1, host: 'web-1' })),
  ]);
  await searchPage.open({ q: 'program=nginx 502', from: '-24h' });
  await hands.click(page.getByRole('button', { name: 'Save', exact: true }));
  await hands.click(page.getByRole('menuitem', { name: /^Save this search/ }));
  await expect(searchPage.dialog.getByLabel('Name')).toBeFocused();
  await hands.type('Failed carts');
  await hands.press('Enter');
  await expect(searchPage.dialog).toBeHidden();
  await expect(page.getByRole('main')).toContainText('Failed carts');
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeInViewport({
    ratio: 1,
  });

  await searchPage.open({ q: 'program=cron' });
  await expect(searchPage.found.first()).toBeVisible();
  await hands.press('o');
  await hands.click(actions.saved('Failed carts').getByRole('button').first());
  await expect.poll(() => searchPage.written()).toBe('program=nginx 502');
  await expect.poll(() => searchPage.total()).toBe(12);
  // Two clicks and a name, which is confirmed with Enter; then a key and a click.
  hands.expectAtMost({ clicks: 3, fields: 1, keys: 2 });
});

test('8: what comes in is watched, narrowed and held', async ({
  hands,
  logstead,
  searchPage,
  tailPage,
}) => {
  const paid = (order: number, status: number) =>
    shop({ minutes: 0, host: 'shop-1' }, { path: '/pay', took: 90, status, order });
  await send(logstead, [paid(1, 200), paid(2, 502)]);
  await searchPage.openBlank();
  await searchPage.editor();
  await hands.press('g t');
  await expect(tailPage.line('payment sent')).toBeVisible();
  await expect(tailPage.tail.getByRole('textbox', { name: 'Query' })).toBeVisible();
  await hands.press('/');
  await hands.type('declined');
  await hands.press('Enter');
  await expect(tailPage.line('payment sent')).toBeHidden();
  await expect(tailPage.line('payment declined')).toHaveCount(1);
  await hands.press('Space');
  await expect(tailPage.button('Resume')).toBeVisible();
  await logstead.sendTcp(paid(3, 502), paid(4, 200));
  await expect.poll(() => tailPage.waitingCount()).toBe(1);
  await expect(tailPage.line('payment declined')).toHaveCount(1);
  await hands.press('Space');
  await expect(tailPage.line('payment declined')).toHaveCount(2);
  // Two keys to reach the page, one for the query and one to run it, and two for the pause.
  hands.expectAtMost({ fields: 1, keys: 6 });
});

test('9: what was found is taken away as a file', async ({ hands, logstead, page, searchPage }) => {
  await send(
    logstead,
    times(25, (n) => firewall({ minutes: n + 1, host: 'edge-fw' }, `10.0.3.${n}`, 'deny')),
  );
  // A browser without a dialog for files: the export becomes a download.
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, 'showSaveFilePicker');
  });
  await searchPage.open({ q: 'action=deny' });
  await expect.poll(() => searchPage.total()).toBe(25);
  const download = page.waitForEvent('download');
  await hands.click(page.getByRole('button', { name: 'Export', exact: true }));
  await hands.click(searchPage.dialog.getByRole('button', { name: 'Export', exact: true }));
  expect((await download).suggestedFilename()).toMatch(/\.ndjson$/);
  hands.expectAtMost({ clicks: 2 });
});

test('10: logins come in by a port of their own, are kept apart and passed on', async ({
  hands,
  logstead,
  page,
  routerPage,
}) => {
  const form = (noun: string) => page.getByRole('region', { name: new RegExp(`^${noun} `) });
  await routerPage.open();
  await hands.click(routerPage.button('Add source'));
  await hands.write(form('Source').getByLabel('Name'), 'vpn');
  await hands.write(form('Source').getByLabel('Listen on'), 'tcp://127.0.0.1:0');
  await hands.click(routerPage.button('Add a target'));
  await hands.click(page.getByRole('menuitem', { name: /^Logspace/ }));
  await hands.write(form('Logspace').getByLabel('Name'), 'audit');
  await hands.click(routerPage.button('Add a target'));
  await hands.click(page.getByRole('menuitem', { name: /^Destination/ }));
  await hands.write(form('Destination').getByLabel('Name').first(), 'siem');
  await hands.write(form('Destination').getByLabel('Servers'), 'tcp://127.0.0.1:9');
  await hands.click(routerPage.button('Add route'));
  await hands.write(routerPage.form.getByRole('textbox', { name: 'Filter' }), 'program:sshd');
  const targets = routerPage.form.getByRole('group', { name: 'Sends to' });
  await expect(targets).toContainText('audit');
  await expect(targets).toContainText('siem');

  await page.reload();
  await expect(routerPage.route('route')).toContainText('program:sshd');
  await hands.click(routerPage.button('Apply…'));
  await hands.write(routerPage.dialog.getByLabel('Comment'), 'logins apart');
  await hands.click(routerPage.dialog.getByRole('button', { name: 'Apply' }));
  await expect(routerPage.liveRevision(2)).toBeVisible();

  await logstead.sendTcp(loginFailed({ minutes: 0, host: 'bastion-1' }, 'oracle', '203.0.113.66'));
  await expect.poll(() => logstead.count('logspace:audit oracle')).toBe(1);
  await expect(routerPage.button('Destination siem')).toContainText('1 queued');
  await expect(routerPage.button('Source vpn')).toHaveAttribute('data-bad', 'false');
  // When this was counted by hand, the targets were ticked, and all names except that of the route were typed.
  hands.expectAtMost({ clicks: 9, fields: 7 });
});

test.describe('where something is wrong', () => {
  const siem = '[[destinations]]\nid = "siem"\nkind = "syslog"\nto = "tcp://127.0.0.1:9"\n';
  test.use({
    server: { router: defaultRouter.replace('to = ["main"]', 'to = ["main", "siem"]') + siem },
  });

  test('11: errors say what to do, and it is one click', async ({
    hands,
    logstead,
    page,
    routerPage,
    searchPage,
    statistics,
  }) => {
    await send(logstead, [
      sudo({ minutes: 3, host: 'web-1' }, 'eve', '/bin/cat /etc/shadow'),
      cron({ minutes: 2, host: 'web-1' }),
    ]);
    // A mistyped stage: the intended one is offered. The count by hand gave no number.
    await searchPage.open({ q: 'host=web-1 | stat count() by program' });
    const meant = 'host=web-1 | stats count() by program';
    await hands.click(page.getByRole('button', { name: `Search for ${meant}` }));
    await expect.poll(() => statistics.rows()).toHaveLength(2);
    hands.expectAtMost({ clicks: 1 });

    // If counting fails, the page shows why, and offers to try again.
    await page.route('**/api/v1/overview', (route) => route.fulfill({ status: 500 }));
    await searchPage.open({ q: 'host=web-1 program=cron' });
    const failed = page.getByRole('status').filter({ hasText: 'Counts failed:' });
    await expect(failed.first()).toBeVisible();
    await page.unroute('**/api/v1/overview');
    await hands.click(failed.first().getByRole('button', { name: 'Retry' }));
    await expect.poll(() => searchPage.total()).toBe(1);
    hands.expectAtMost({ clicks: 2 });

    // A destination that is down: one click to the router, one for the reason.
    await hands.click(page.getByRole('link', { name: 'Router', exact: true }));
    await hands.click(routerPage.button('Destination siem'));
    const state = page.getByRole('region', { name: 'State of siem' });
    await expect(state).toContainText(/refused/);
    await expect(state).toContainText(/2 messages/);
    hands.expectAtMost({ clicks: 4 });
  });
});

test('12: by keyboard alone, the list is near', async ({ hands, logstead, searchPage }) => {
  await send(logstead, [
    ...times(6, (n) => loginFailed({ minutes: n + 1, host: 'web-1' }, 'oracle', '203.0.113.66')),
    ...times(6, (n) => cron({ minutes: n + 1, host: 'web-2' })),
  ]);
  await searchPage.open({ q: 'host=web-*' });
  await expect.poll(() => searchPage.total()).toBe(12);
  await searchPage.editor();
  // Earlier, more than 60 tab stops preceded the list.
  const tabs = await tabsTo(searchPage.found.first().getByRole('button', { name: /^Details/ }));
  test.info().annotations.push({ type: 'tabs', description: String(tabs) });
  expect(tabs).toBeLessThanOrEqual(50);

  await hands.press('/');
  await hands.type('oracle');
  await hands.press('Enter');
  await expect.poll(() => searchPage.total()).toBe(6);
  await hands.press('Escape j Enter');
  await expect(searchPage.details).toContainText('Failed password for invalid user oracle');
  // A query and the key to reach it, and one key each to leave it, to go to the first message and to open it.
  hands.expectAtMost({ fields: 1, keys: 5 });
});
