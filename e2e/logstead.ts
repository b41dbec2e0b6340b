import { type Page, expect, test as base } from '@playwright/test';
import { AccountPage } from './pages/account';
import { Actions } from './pages/actions';
import { AdminPage } from './pages/admin';
import { AgentsPage } from './pages/agents';
import { FlowPage } from './pages/flow';
import { LoginPage } from './pages/login';
import { LogspacesPage } from './pages/logspaces';
import { RouterPage } from './pages/router';
import { SearchPage } from './pages/search';
import { SendersPage } from './pages/senders';
import { Statistics } from './pages/statistics';
import { TailPage } from './pages/tail';
import { WelcomePage } from './pages/welcome';
import { recordAnswers } from './record';
import { Logstead, admin, type Options } from './server';

interface Fixtures {
  /** The options for starting the test's server; `test.use({ server: { … } })` changes them. */
  server: Options;
  logstead: Logstead;
  /** Whether the browser is logged in as the administrator when the test begins. */
  signedIn: boolean;
  /**
   * Whether lists fold repeated messages. Most tests count messages, so each message has a row of
   * its own unless this is set.
   */
  folds: boolean;
  accountPage: AccountPage;
  adminPage: AdminPage;
  agentsPage: AgentsPage;
  loginPage: LoginPage;
  logspacesPage: LogspacesPage;
  searchPage: SearchPage;
  /** Search in a browser page other than the first. */
  searchPageOf: (page: Page) => SearchPage;
  routerPage: RouterPage;
  /** The router in a browser page other than the first. */
  secondRouterPage: RouterPage;
  flowPage: FlowPage;
  sendersPage: SendersPage;
  tailPage: TailPage;
  welcomePage: WelcomePage;
  statistics: Statistics;
  actions: Actions;
}

export const test = base.extend<Fixtures>({
  server: [{}, { option: true }],
  signedIn: [true, { option: true }],
  folds: [false, { option: true }],

  logstead: async ({ server }, use, testInfo) => {
    const logstead = await Logstead.start(server);
    await use(logstead);
    await logstead.stop();
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach('server output', { body: logstead.output, contentType: 'text/plain' });
    }
  },

  context: async ({ context, folds }, use) => {
    recordAnswers(context);
    if (!folds) {
      await context.addInitScript(() => {
        localStorage.setItem('logstead-fold', 'false');
      });
    }
    await use(context);
  },

  page: async ({ logstead, page, signedIn }, use) => {
    if (signedIn) {
      const response = await page.request.post(logstead.url('/api/v1/session'), { data: admin });
      expect(response.status(), 'log in').toBe(200);
    }
    await use(page);
  },

  accountPage: async ({ logstead, page }, use) => {
    await use(new AccountPage(page, logstead));
  },
  adminPage: async ({ logstead, page }, use) => {
    await use(new AdminPage(page, logstead));
  },
  agentsPage: async ({ logstead, page }, use) => {
    await use(new AgentsPage(page, logstead));
  },
  loginPage: async ({ logstead, page }, use) => {
    await use(new LoginPage(page, logstead));
  },
  logspacesPage: async ({ logstead, page }, use) => {
    await use(new LogspacesPage(page, logstead));
  },
  searchPage: async ({ logstead, page }, use) => {
    await use(new SearchPage(page, logstead));
  },
  searchPageOf: async ({ logstead }, use) => {
    await use((page) => new SearchPage(page, logstead));
  },
  routerPage: async ({ logstead, page }, use) => {
    await use(new RouterPage(page, logstead));
  },
  secondRouterPage: async ({ browser, logstead, page }, use) => {
    // Opened in a window of its own: a page in the background is hardly drawn, and each click would wait for that.
    const context = await browser.newContext({ storageState: await page.context().storageState() });
    await use(new RouterPage(await context.newPage(), logstead));
    await context.close();
  },
  sendersPage: async ({ logstead, page }, use) => {
    await use(new SendersPage(page, logstead));
  },
  flowPage: async ({ logstead, page }, use) => {
    await use(new FlowPage(page, logstead));
  },
  tailPage: async ({ logstead, page }, use) => {
    await use(new TailPage(page, logstead));
  },
  welcomePage: async ({ logstead, page }, use) => {
    await use(new WelcomePage(page, logstead));
  },
  statistics: async ({ page }, use) => {
    await use(new Statistics(page));
  },
  actions: async ({ page }, use) => {
    await use(new Actions(page));
  },
});

export { expect };
