// Keywords: axe, contrast, screen reader, dark theme.
import type axe from 'axe-core';
import type { RunOptions } from 'axe-core';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './logstead';
import { type Logstead, admin, defaultRouter } from './server';

/** The short form: a page takes as long to read it as it is. */
const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules whose outcome depends on colours; all others judge what both themes share. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Looks in the theme that the page has and then in the other, which stays: to change it redraws everything. It looks
 * when nothing moves or is loading any more: what changes meanwhile is judged half done. Where the page was looked at
 * before, `within` is the part that is new.
 */
async function expectAccessible(page: Page, state: string, within?: Locator): Promise<void> {
  await test.step(state, async () => {
    const theme = await themeOf(page);
    await expectNoViolations(page, {}, `${state}, ${theme}`, within);
    const other = theme === 'light' ? 'dark' : 'light';
    await setTheme(page, other);
    await expectNoViolations(page, { runOnly: COLOUR_RULES }, `${state}, ${other}`, within);
  });
}

async function expectNoViolations(
  page: Page,
  rules: RunOptions,
  state: string,
  within?: Locator,
): Promise<void> {
  await hasSettled(page);
  const found = (await violations(page, rules, within)).map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  }));
  expect.soft(found, state).toEqual([]);
}

/**
 * In the page itself, where axe stays until the next one is loaded. What @axe-core/playwright does besides, for pages
 * with frames, takes most of its time: a second page that puts the answers of all frames together.
 */
async function violations(
  page: Page,
  rules: RunOptions,
  within: Locator = page.locator('html'),
): Promise<axe.Result[]> {
  expect(page.frames(), 'a page without frames').toHaveLength(1);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await axeSource);
  const options = { ...rules, resultTypes: ['violations'] } satisfies RunOptions;
  const answer = await within.evaluate(
    (part, options) => (window as unknown as { axe: typeof axe }).axe.run(part, options),
    options,
  );
  return answer.violations;
}

function themeOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
}

/** The page follows the system's theme, so what is open on it stays open. */
async function setTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (scheme) => document.documentElement.dataset['mantineColorScheme'] === scheme,
    colorScheme,
    { timeout: 30_000 },
  );
}

/**
 * Even without motion a colour changes by a transition, for a frame or two. One within closed details never ends: a look
 * computes their style, but nothing draws them.
 */
async function hasSettled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const isDrawn = ({ effect }: Animation) =>
        effect instanceof KeyframeEffect && effect.target?.checkVisibility() === true;
      // Results of an earlier query are dimmed.
      const isOld = document.querySelector('[aria-busy="true"], [data-behind="true"]') !== null;
      const moves = document
        .getAnimations()
        .some((one) => one instanceof CSSTransition && isDrawn(one));
      return !isOld && !moves;
    },
    undefined,
    { timeout: 30_000 },
  );
}

const SEVERITIES = [0, 1, 2, 3, 4, 5, 6, 7];

async function sendSome(logstead: Logstead): Promise<void> {
  await logstead.sendTcp(
    ...SEVERITIES.map((n) => `<${n}>1 - host-${n} app 1 - - severity ${n} user=ana`),
  );
  await expect.poll(() => logstead.count('severity')).toBe(SEVERITIES.length);
}

/** The menu or dialog that is open; of a menu in a dialog, the menu. */
function over(page: Page): Locator {
  return page.getByRole('menu').or(page.getByRole('dialog')).last();
}

function button(where: Page | Locator, name: string | RegExp): Locator {
  return where.getByRole('button', { name, exact: true });
}

test.describe('accessible in both themes', () => {
  // A look at a page takes two seconds and more, and a test has a dozen.
  test.describe.configure({ timeout: 240_000 });
  test.use({ colorScheme: 'light' });

  test.describe('before login', () => {
    test.use({ signedIn: false });

    test('login', async ({ loginPage, page }) => {
      await loginPage.open();
      await expect(loginPage.signInButton).toBeVisible();
      await expectAccessible(page, 'login');
      await loginPage.signIn('admin', 'wrong');
      await expect(loginPage.alert).toBeVisible();
      await expectAccessible(page, 'login refused');
    });

    test.describe('on the first start', () => {
      test.use({ server: { administrator: false } });

      test('set-up', async ({ logstead, loginPage, page, welcomePage }) => {
        await loginPage.open();
        await expect(loginPage.createButton).toBeVisible();
        await expectAccessible(page, 'set-up');

        await loginPage.createAdministrator(logstead.setupCode, 'ana', 'a long enough password');
        for (const way of ['logger', 'nc', 'curl', 'rsyslog', 'syslog-ng']) {
          await page.getByRole('tab', { name: way }).click();
          await expectAccessible(page, `first message by ${way}`);
        }
        await welcomePage.lookStep.click();
        await expectAccessible(page, 'nothing to look at yet');
        await logstead.sendTcp('<13>1 - web-1 ana - - - hello logstead');
        await expect(button(page, 'Open Search')).toBeVisible();
        await expectAccessible(page, 'look at it');
        await welcomePage.sendStep.click();
        await expect(welcomePage.arrived).toBeVisible();
        await expectAccessible(page, 'arrived');
      });
    });
  });

  test('search', async ({ logstead, page, searchPage }) => {
    await searchPage.open();
    await expect(searchPage.firstMessage).toBeVisible();
    await expectAccessible(page, 'first run');

    await sendSome(logstead);
    await searchPage.openBlank();
    await expect(page.getByRole('region', { name: 'Top errors' })).toContainText('errors');
    await expectAccessible(page, 'before anything is asked');

    await searchPage.open({ q: 'severity', refresh: 'off' });
    await expect(searchPage.message('severity 7')).toBeVisible();
    await expectAccessible(page, 'lines');

    await searchPage.message('severity 7').getByRole('button', { name: 'Details' }).click();
    const drawer = page.getByRole('region', { name: /^Message \S+$/ });
    for (const tab of ['Fields', 'Raw', 'Context', 'Path', 'JSON']) {
      await drawer.getByRole('tab', { name: tab }).click();
      await expect(drawer.getByRole('tabpanel', { name: tab })).toBeVisible();
      await expect(drawer.getByRole('status', { name: /^Loading/ })).toBeHidden();
      await expectAccessible(page, `drawer, ${tab}`, tab === 'Fields' ? undefined : drawer);
    }
    await drawer.getByRole('tab', { name: 'Raw' }).click();
    await drawer.getByText('Hex', { exact: true }).click();
    await expectAccessible(page, 'drawer, Hex', drawer);
    await button(drawer, 'Close').click();

    await searchPage.open({ q: 'severity', view: 'table', wrap: '1', refresh: 'off' });
    await expect(searchPage.message('severity 7')).toBeVisible();
    await expectAccessible(page, 'table');
    await button(page, 'View options').click();
    await page.getByRole('menuitem', { name: 'Columns' }).click();
    await expect(page.getByRole('list', { name: 'Columns' })).toBeVisible();
    await expectAccessible(page, 'columns', over(page));
    await page.keyboard.press('Escape');

    await searchPage.search('nothing-like-this');
    await expect(searchPage.empty).toBeVisible();
    await expectAccessible(page, 'empty');

    await searchPage.search('message:/(unclosed/');
    await expect(searchPage.alert).toBeVisible();
    await expectAccessible(page, 'error');

    await searchPage.search('(severity');
    await expect(searchPage.warning).toBeVisible();
    await expectAccessible(page, 'warning');
  });

  test('statistics', async ({ logstead, page, searchPage, statistics }) => {
    await sendSome(logstead);
    for (const [query, chart] of [
      ['severity | stats count() by host', 'auto'],
      ['severity | stats count() by host', 'table'],
      ['severity | timechart span=1m count() by host', 'lines'],
      ['severity | timechart span=1m count() by host', 'area'],
      ['severity | stats count()', 'auto'],
      ['nothing-like-this | stats count() by host', 'auto'],
    ] as const) {
      await searchPage.open({ q: query, from: '-1h', chart, refresh: 'off' });
      await expect(statistics.shown).toBeVisible();
      await expectAccessible(page, `${query}, ${chart}`);
    }
    await searchPage.open({ q: 'severity | stats count() by host', refresh: 'off' });
    await statistics.menuOf('host-3');
    await expect(page.getByRole('menuitem').first()).toBeVisible();
    await expectAccessible(page, 'menu of a value', over(page));
    await page.keyboard.press('Escape');
    await statistics.chart.getByRole('group').focus();
    await page.keyboard.press('ArrowDown');
    await expectAccessible(page, 'a point of the chart');
  });

  test('dialogs of a search', async ({ actions, logstead, page, searchPage }) => {
    await sendSome(logstead);
    await searchPage.open({ q: 'severity', refresh: 'off' });
    await expect(searchPage.message('severity 7')).toBeVisible();
    await actions.open('Saved');
    await expect(actions.dialog.getByText('No search is saved yet')).toBeVisible();
    await expectAccessible(page, 'nothing saved');
    await actions.close();

    await actions.open('Save');
    await actions.dialog.getByLabel('Name').fill('All of them');
    await expectAccessible(page, 'save', over(page));
    await button(actions.dialog, 'Save').click();
    await expect(actions.dialog).toBeHidden();

    await actions.open('Saved');
    await expect(actions.saved('All of them')).toBeVisible();
    await expectAccessible(page, 'saved searches', over(page));
    await button(actions.dialog, 'More about All of them').click();
    await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible();
    await expectAccessible(page, 'menu of a saved search', over(page));
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(button(actions.dialog, 'Undo')).toBeVisible();
    await expectAccessible(page, 'deleted', over(page));
    await actions.close();

    await actions.open('Share');
    await expect(actions.dialog.getByLabel('Link')).not.toHaveValue('');
    await expectAccessible(page, 'share', over(page));
    await actions.close();

    await actions.open('Export');
    await expect(actions.dialog.getByText('8 messages')).toBeVisible();
    await expectAccessible(page, 'export', over(page));
    await actions.dialog.getByText('CSV', { exact: true }).click();
    await actions.dialog.getByText('The same from a terminal').click();
    await expectAccessible(page, 'export as CSV', over(page));
    await actions.close();

    await actions.open('API');
    await expectAccessible(page, 'API call', over(page));
    await actions.close();
  });

  test('menus of a search', async ({ logstead, page, searchPage }) => {
    await sendSome(logstead);
    await searchPage.open({ q: 'severity', refresh: 'off' });
    await expect(searchPage.message('severity 7')).toBeVisible();

    await page.getByRole('button', { name: /^Time range:/ }).click();
    await expect(page.getByRole('dialog', { name: 'Time range' })).toBeVisible();
    await expectAccessible(page, 'time range');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: /^Logspaces:/ }).click();
    await expect(page.getByRole('checkbox', { name: /^security/ })).toBeVisible();
    await expectAccessible(page, 'logspaces', over(page));
    await page.keyboard.press('Escape');

    for (const name of ['View options', 'Save', 'More actions', 'Query help', 'User: admin']) {
      await page.getByRole('button', { name, exact: true }).click();
      await expectAccessible(page, name, over(page));
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'View options' }).click();
    await page.getByRole('menuitem', { name: 'Jump to time' }).click();
    await expect(page.getByRole('dialog', { name: 'Jump to time' })).toBeVisible();
    await expectAccessible(page, 'jump to time', over(page));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Health: / }).click();
    await expect(page.getByText('Received in the last 5 minutes')).toBeVisible();
    await expectAccessible(page, 'health', over(page));
    await page.keyboard.press('Escape');

    const fields = page.getByRole('complementary', { name: 'Fields' });
    await searchPage.fields.head('host').hover();
    await fields.getByRole('button', { name: 'Actions of host' }).click();
    await expect(page.getByRole('menuitem').first()).toBeVisible();
    await expectAccessible(page, 'menu of a field', over(page));
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox', { name: 'Find a command' })).toBeFocused();
    await expectAccessible(page, 'commands', over(page));
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts and help' })).toBeVisible();
    await expectAccessible(page, 'keyboard shortcuts', over(page));
    await page.keyboard.press('Escape');

    await searchPage.query.fill('ho');
    await expect(page.getByRole('option', { name: /^host/ }).first()).toBeVisible();
    await expectAccessible(page, 'suggestions');

    await logstead.ingest(['login of ana accepted']);
    await searchPage.open({ q: 'accepted', refresh: 'off' });
    await searchPage.select('login of ana accepted', 'ana');
    await expect(page.getByRole('menuitem', { name: 'Exclude this text' })).toBeVisible();
    await expectAccessible(page, 'menu of a selection', over(page));
    await page.getByRole('menuitem', { name: 'Extract as field…' }).click();
    await expect(searchPage.dialog.getByRole('status', { name: 'Matches' })).toBeVisible();
    await expectAccessible(page, 'extract as field', over(page));
  });

  test('marks and comparison', async ({ logstead, page, searchPage }) => {
    await sendSome(logstead);
    const messages = await logstead.search('severity');
    const marks = messages.slice(0, 2).map(({ id }) => id);
    await searchPage.open({ q: 'severity', marks: marks.join(','), refresh: 'off' });
    await expect(button(page, 'Compare')).toBeVisible();
    await expectAccessible(page, 'marked');
    await button(page, 'Compare').click();
    await expect(page.getByRole('region', { name: 'Comparison' })).toBeVisible();
    await expectAccessible(page, 'compared');
  });

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

  test('the frame', async ({ logstead, page, searchPage }) => {
    await page.goto(logstead.url('/no-such-page'));
    await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
    await expectAccessible(page, 'not found');

    await endsSoon(page);
    await searchPage.open();
    await expect(button(page, 'Stay signed in')).toBeVisible();
    await expectAccessible(page, 'the session ends soon');
    await page.unrouteAll({ behavior: 'wait' });
    await button(page, 'Stay signed in').click();
    await expect(page.getByText('You stay signed in')).toBeVisible();
    await expectAccessible(page, 'a notification');

    // The frame asks how the server is, and hears of it by itself.
    await page.context().clearCookies();
    await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
    await expectAccessible(page, 'the session has ended');
  });

  test('account', async ({ accountPage, loginPage, page }) => {
    await accountPage.open();
    await expect(accountPage.sessions.getByText('This session')).toBeVisible();
    await expectAccessible(page, 'account');
    await accountPage.button('Set up').click();
    await expectAccessible(page, 'password before a second factor');
    const app = await accountPage.scan(admin.password);
    await expectAccessible(page, 'QR code');
    await accountPage.confirm(app.code());
    await expectAccessible(page, 'recovery codes');
    await accountPage.button('I have kept them').click();
    await expect(page.getByText('10 recovery codes are left.')).toBeVisible();
    await expectAccessible(page, 'account with a second factor');
    await loginPage.signOut(admin.name);
    await loginPage.signIn(admin.name, admin.password);
    await expect(page.getByRole('textbox', { name: 'Code' })).toBeVisible();
    await expectAccessible(page, 'login asks for a code');
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

  test('admin', async ({ adminPage, logstead, page }) => {
    await sendSome(logstead);
    const password = 'a long enough password';
    await logstead.addUser({ name: 'ana', role: 'analyst', password, scope: 'host:host-1' });
    await logstead.makeToken('shipper');
    await adminPage.open({ user: 'ana' });
    await expect(adminPage.preview.getByText('of 8 messages')).toBeVisible();
    await expectAccessible(page, 'users and tokens, with a user');
    await adminPage.menu('ana', /^Delete/);
    await expect(adminPage.dialog).toBeVisible();
    await expectAccessible(page, 'before a user is deleted', over(page));
    await adminPage.open({ new: 'user' });
    await adminPage.chooseLogspaces('main', 'security');
    await expect(adminPage.preview.getByText('of 8 messages')).toBeVisible();
    await expectAccessible(page, 'a new user');
    await adminPage.open({ new: 'token' });
    await adminPage.panel.getByLabel('Name', { exact: true }).fill('another');
    await adminPage.button('Create token').click();
    await expect(page.getByLabel('Secret of another')).toBeVisible();
    await expectAccessible(page, 'a secret');
    await adminPage.open({ find: 'no such account' });
    await expect(page.getByText('No user matches')).toBeVisible();
    await expectAccessible(page, 'nothing found');
    for (const tab of ['settings', 'certificates', 'server']) {
      await adminPage.open({ tab });
      await expect(page.getByRole('heading', { level: 1, name: 'Admin' })).toBeVisible();
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
      await expectAccessible(page, tab);
    }
    await adminPage.button('Make a report').click();
    await expect(adminPage.report.getByRole('group', { name: 'What it is' })).toBeVisible();
    await expectAccessible(page, 'a support report');
    await adminPage.show('Sessions');
    await adminPage.open({ tab: 'sessions' });
    await expect(page.getByText('This session')).toBeVisible();
    await expectAccessible(page, 'sessions');
    await adminPage.open({ tab: 'audit' });
    await expect(adminPage.audit.getByRole('cell', { name: 'token.create' }).first()).toBeVisible();
    await expectAccessible(page, 'audit');
    await adminPage.open({ tab: 'audit', q: 'action:(' });
    await expect(adminPage.audit.getByRole('alert')).toBeVisible();
    await expectAccessible(page, 'audit refused');
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

  test('help', async ({ logstead, page }) => {
    await page.goto(logstead.url('/help?doc=console&part=router'));
    await expect(page.getByRole('heading', { name: 'Router', exact: true })).toBeVisible();
    await expectAccessible(page, 'guide');
    await page.goto(logstead.url('/help/api'));
    await expect(page.getByRole('heading', { name: 'Choose an operation' })).toBeVisible();
    await expectAccessible(page, 'operations');
    await page.goto(logstead.url('/help/api?op=status'));
    await button(page, 'Try it').click();
    await expect(page.getByRole('region', { name: 'Body of the answer' })).toBeVisible();
    await expectAccessible(page, 'an operation');
    await page.goto(logstead.url('/help/api?op=put_router'));
    await expect(page.getByRole('article')).toContainText('only as a command');
    await expectAccessible(page, 'an operation with a body');
  });

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
    // The draft is validated meanwhile: what is looked at must not change under the look.
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

/** Answers as a server whose session is about to end. */
async function endsSoon(page: Page): Promise<void> {
  const expires_at = new Date(Date.now() + 110_000).toISOString();
  await page.route('**/api/v1/session', async (route) => {
    const response = await route.fetch();
    const session = (await response.json()) as object;
    await route.fulfill({ response, json: { ...session, expires_at } });
  });
}
