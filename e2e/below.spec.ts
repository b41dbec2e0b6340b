// Keywords: base path, reverse proxy.
/** The console below a path of a host, `http://host/logs/`, behind a real proxy that removes the path or keeps it. */
import type { Page } from '@playwright/test';
import { expect, test as base } from './logstead';
import { LoginPage } from './pages/login';
import { Proxy } from './proxy';
import { admin } from './server';
import { places } from './states';

const PREFIX = '/logs';

interface Fixtures {
  keeps: boolean;
  front: Proxy;
}

const test = base.extend<Fixtures>({
  signedIn: false,
  keeps: [false, { option: true }],
  front: async ({ keeps }, use) => {
    const front = await Proxy.start(PREFIX, keeps);
    await use(front);
    await front.stop();
  },
  server: async ({ front }, use) => {
    await use({ settings: [`web.public_url=${front.url('/')}`] });
  },
  logstead: async ({ logstead, front }, use) => {
    front.target = logstead.url('');
    await use(logstead);
  },
});

/** Links that lead outside the path, or would if they were opened in another tab. */
async function strayLinks(page: Page): Promise<(string | null)[]> {
  const hrefs = await page
    .locator('a[href]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  return hrefs.filter((href) => !/^(\/logs(\/|$)|https?:|#|blob:)/.test(href ?? ''));
}

for (const keeps of [false, true]) {
  test.describe(keeps ? 'the path is kept' : 'the path is removed', () => {
    test.use({ keeps });

    test('everything works below the path, and nothing is asked for outside of it', async ({
      context,
      logstead,
      page,
      front,
    }) => {
      const login = new LoginPage(page, front);
      await logstead.ingest(['hello below a path']);
      await login.open('/search?q=hello');
      await login.signIn(admin.name, 'wrong');
      await expect(login.alert).toBeVisible();
      await login.signIn(admin.name, admin.password);
      await expect(page.getByText('hello below a path').first()).toBeVisible();
      expect(new URL(page.url()).pathname).toBe('/logs/search');
      const cookies = await context.cookies(front.url('/api/v1/session'));
      expect(cookies.map(({ path }) => path).sort()).toEqual(['/logs', '/logs/api/v1/session']);

      await page.getByRole('link', { name: 'Tail' }).click();
      await expect(page).toHaveURL(/\/logs\/tail/);
      await page.goto(front.url('/tail?q=seen'));
      await expect(page.getByText(/Live|Waiting/).first()).toBeVisible();
      await logstead.sendTcp('<13>1 - web-1 app - - - seen in the tail');
      await expect(page.getByText('seen in the tail').first()).toBeVisible();

      await page.getByRole('link', { name: 'Router' }).click();
      await expect(page).toHaveURL(/\/logs\/router/);
      await page.goto(front.url('/router?view=text'));
      await page.reload();
      await expect(page.getByText('id = "syslog"').first()).toBeVisible();

      await page.goto(front.url('/'));
      await expect(page).toHaveURL(/\/logs\/overview/);
      await login.signOut(admin.name);
      await expect(login.signInButton).toBeVisible();
      await page.reload();
      await expect(login.signInButton).toBeVisible();
      expect(await context.cookies(front.url('/'))).toEqual([]);
      expect(front.strays).toEqual([]);
    });

    test('every link of every page is below the path', async ({ logstead, page, front }) => {
      test.slow();
      await logstead.ingest(['hello']);
      const signedIn = await page.request.post(front.url('/api/v1/session'), { data: admin });
      expect(signedIn.status()).toBe(200);
      const seen: Record<string, (string | null)[]> = {};
      for (const place of places) {
        await page.goto(front.url(place));
        await expect(page.locator('main')).toBeVisible();
        await expect(page.getByRole('status', { name: /Loading/ })).toHaveCount(0);
        const strays = await strayLinks(page);
        if (strays.length > 0) seen[place] = strays;
      }
      expect(seen).toEqual({});
      expect(front.strays).toEqual([]);
    });
  });
}

test('what the console shows to be copied names the path, and works', async ({
  logstead,
  page,
  front,
}) => {
  await page.request.post(front.url('/api/v1/session'), { data: admin });
  await page.goto(front.url('/send?agent=curl'));
  await expect(page.getByText(front.url('/api/v1/ingest')).first()).toBeVisible();
  await page.goto(front.url('/help/api?op=ingest_messages'));
  await expect(page.getByText(front.url('/api/v1/')).first()).toBeVisible();
  const answer = await fetch(front.url('/api/v1/ingest'), {
    method: 'POST',
    headers: { Authorization: `Bearer ${logstead.token}`, 'Content-Type': 'text/plain' },
    body: 'sent below the path',
  });
  expect(answer.status).toBe(200);
  expect(await logstead.count('"sent below the path"')).toBe(1);
});

test('who comes past the proxy is led below the path too', async ({ logstead, page }) => {
  const login = new LoginPage(page, logstead);
  await login.open('/search?q=hello#here');
  await login.signIn(admin.name, admin.password);
  await expect(page).toHaveURL(logstead.url('/logs/search?q=hello#here'));
  await expect(page.getByRole('button', { name: `User: ${admin.name}` })).toBeVisible();
});
