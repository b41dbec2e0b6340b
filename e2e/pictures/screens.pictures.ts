import type { Page } from '@playwright/test';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../logstead';
import { defaultRouter } from '../server';

const folder = fileURLToPath(new URL('../../docs/images/screens/', import.meta.url));
const HOUR_MS = 3_600_000;

const router =
  defaultRouter.replace('to = ["main"]', 'to = ["main", "siem"]') +
  `
[[routes]]
id = "logins"
where = "program=sshd"
to = ["security"]

[[destinations]]
id = "siem"
kind = "syslog"
to = "tcp://127.0.0.1:9"
`;

test.use({ server: { router, settings: ['senders.silent_after=2s'] } });

test('every screen, as an operator sees it', async ({
  logstead,
  page,
  searchPage,
  sendersPage,
}) => {
  const picture = async (name: string) => {
    await page.screenshot({
      path: `${folder}${name}.png`,
      animations: 'disabled',
      caret: 'hide',
    });
  };
  await logstead.sendTcp(...week(), ...ahead());
  await expect.poll(() => logstead.count('*')).toBeGreaterThan(5000);
  const password = 'a long enough password';
  await logstead.addUser({ name: 'lena', role: 'analyst', password, scope: 'host:shop-*' });
  await logstead.addUser({ name: 'sofia', role: 'operator', password });
  await logstead.makeToken('k8s-collector');

  // One host has stopped sending, the others continue.
  await sendersPage.open({ source: 'syslog', host: 'edge-hel' });
  await expect(async () => {
    await logstead.sendTcp(...aMoment(), ...ahead());
    await expect(sendersPage.row('fw-par')).toContainText(/silent \d/, { timeout: 500 });
  }).toPass();
  await expect(sendersPage.frames().first()).toBeVisible();
  await picture('senders');

  await page.goto(logstead.url('/overview'));
  await expect(page.getByRole('heading', { name: /things need/ })).toBeVisible();
  await expect(page.getByText('of the disk used')).toBeVisible();
  await picture('overview');

  await page.goto(logstead.url('/flow?from=-1h'));
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('Balanced');
  await picture('flow');

  await page.goto(logstead.url('/logspaces?space=main'));
  await expect(page.getByRole('heading', { name: 'What fills main' })).toBeVisible();
  await settled(page);
  await picture('logspaces');

  await page.goto(logstead.url('/admin?user=lena'));
  await expect(page.getByText(/of [\d\u202f]+ messages/)).toBeVisible();
  await settled(page);
  await picture('admin');

  await page.goto(logstead.url('/admin?tab=settings'));
  await expect(page.getByRole('row', { name: /^web\.listen/ })).toBeVisible();
  await picture('settings');

  await page.goto(logstead.url('/admin?tab=server'));
  await page.getByRole('button', { name: 'Make a report' }).click();
  await page.getByRole('button', { name: /^State/ }).click();
  await page.getByRole('region', { name: 'Support report' }).scrollIntoViewIfNeeded();
  await picture('server');

  await page.goto(logstead.url('/search?q=severity%3E%3Dwarning&from=-7d'));
  await searchPage.message('payment declined').first().click();
  await expect(page.getByRole('tab', { name: 'Fields' })).toBeVisible();
  await settled(page);
  await picture('search');

  const stages = 'program=nginx | timechart span=6h count() by host';
  await page.goto(logstead.url(`/search?q=${encodeURIComponent(stages)}&from=-7d`));
  await expect(page.getByRole('table').first()).toBeVisible();
  await settled(page);
  await picture('statistics');

  await page.goto(logstead.url('/router'));
  await expect(page.getByRole('button', { name: 'Route logins' })).toBeVisible();
  await picture('router');

  await page.goto(logstead.url('/send'));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await settled(page);
  await picture('send');

  await page.goto(logstead.url('/help/api'));
  await page.getByText('/logspaces', { exact: true }).first().click();
  await expect(page.getByText('curl').first()).toBeVisible();
  await picture('api');

  await page.goto(logstead.url('/tail?q=shop'));
  await expect(page.getByText('Live', { exact: true }).first()).toBeVisible();
  await logstead.sendTcp(...aMoment(), ...aMoment());
  await expect(page.getByText(/order \d+ placed/).first()).toBeVisible();
  await picture('tail');
});

/** Resolves when everything that the page requests at first has arrived. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('status', { name: /Loading/ })).toHaveCount(0);
}

const hosts = ['shop-01', 'shop-02', 'shop-03', 'web-1', 'web-2', 'db-1', 'fw-par'];

function week(): string[] {
  const now = Date.now();
  return Array.from({ length: 6000 }, (_, n) => {
    const past = (n / 6000) ** 1.2 * 7 * 24 * HOUR_MS;
    return message(n, hosts[n % hosts.length] ?? '', new Date(now - past));
  });
}

function aMoment(): string[] {
  const sending = hosts.filter((host) => host !== 'fw-par');
  return Array.from({ length: 24 }, (_, n) =>
    message(n, sending[n % sending.length] ?? '', new Date()),
  );
}

/** Lines of a host whose clock shows the time of Helsinki. */
function ahead(): string[] {
  const [, day = '', month = '', , clock = ''] = new Date(Date.now() + 2 * HOUR_MS)
    .toUTCString()
    .split(' ');
  const stamp = `${month} ${day.replace(/^0/, ' ')} ${clock}`;
  return Array.from(
    { length: 12 },
    (_, n) => `<189>${stamp} edge-hel switch[7]: port ${n + 1} changed state to up`,
  );
}

function message(n: number, host: string, at: Date): string {
  const time = at.toISOString();
  if (host.startsWith('shop')) {
    return n % 19 === 0
      ? `<11>1 ${time} ${host} shop 811 - - payment declined: issuer timeout order=${88_000 + n}`
      : `<14>1 ${time} ${host} shop 811 - - order ${88_000 + n} placed total=${(n % 90) + 9}.90 user=${n % 40}`;
  }
  if (host.startsWith('fw'))
    return `<134>1 ${time} ${host} fw 1 - - deny tcp 203.0.113.${n % 200}:4${n % 900} 10.0.0.${n % 30}:22`;
  if (n % 11 === 0)
    return `<38>1 ${time} ${host} sshd ${n % 900} - - Failed password for root from 198.51.100.${n % 90} port 5${n % 999}`;
  return `<14>1 ${time} ${host} nginx 802 - - GET /orders/${n} ${n % 29 === 0 ? 502 : 200} ${n % 300} ms`;
}
