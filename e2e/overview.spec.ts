// Keywords: overview, health.
import { expect, test } from './logstead';
import { defaultRouter } from './server';

test('operators begin with whether all is well', async ({ logstead, page }) => {
  await logstead.sendTcp('<13>1 - web-1 app - - - hello');
  await page.goto(logstead.url('/'));
  await expect(page).toHaveURL(/\/overview/);
  await expect(
    page.getByRole('heading', { name: 'All is well. Every message is accounted for.' }),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: /^Health: All is well/ })).toBeVisible();
  const figures = page.getByRole('region', { name: 'The last 24 hours' });
  await expect(figures.getByRole('link', { name: /^Received/ })).toContainText('1 in 24 h');
  await expect(page.getByRole('region', { name: 'Senders' })).toContainText('Known1');
  await figures.getByRole('link', { name: /^Received/ }).click();
  await expect(page).toHaveURL(/\/search\?q=.*from=-24h/);
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await expect(page).toHaveURL(/\/overview/);
});

test('the rate begins with the minutes before the page was opened', async ({ logstead, page }) => {
  const twoMinutesAgo = new Date(Date.now() - 120_000).toISOString();
  const lines = Array.from(
    { length: 50 },
    (_, n) => `<13>1 ${twoMinutesAgo} web-1 app ${n} - - beat`,
  );
  await logstead.sendTcp(...lines);
  await expect.poll(() => logstead.count('beat')).toBe(lines.length);
  await page.goto(logstead.url('/search'));
  await page.getByRole('button', { name: /^Health/ }).click();
  const path = page.getByRole('dialog', { name: 'Health' }).locator('svg path[d]').last();
  // The points have fixed positions, 280 wide for five minutes: the highest one stands for messages received two
  // minutes ago.
  const highest = async () => {
    const points = [...((await path.getAttribute('d')) ?? '').matchAll(/([\d.]+) ([\d.]+)/g)];
    const [top] = points
      .map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
      .sort((a, b) => a.y - b.y);
    return Math.round(((280 - (top?.x ?? 280)) / 280) * 300);
  };
  await expect.poll(highest).toBeGreaterThan(90);
  await expect.poll(highest).toBeLessThan(150);
});

test.describe('with a destination that is away', () => {
  const destination = '[[destinations]]\nid = "siem"\nkind = "syslog"\nto = "tcp://127.0.0.1:9"\n';
  const router = defaultRouter.replace('to = ["main"]', 'to = ["main", "siem"]') + destination;
  test.use({ server: { router } });

  test('what is down comes first, and leads to its queue', async ({ logstead, page }) => {
    await logstead.sendTcp('<13>1 - web-1 app - - - one', '<13>1 - web-1 app - - - two');
    await page.goto(logstead.url('/overview'));
    const health = page.getByRole('region', { name: 'Health' });
    await expect(health.getByRole('heading')).toContainText('One thing needs attention');
    await expect(health.getByRole('listitem')).toContainText('siem does not take messages');
    await expect(health.getByRole('listitem')).toContainText('2 messages wait');
    await health.getByRole('link', { name: 'Show its queue' }).click();
    await expect(page.getByRole('dialog', { name: 'What waits for siem' })).toBeVisible();
  });

  test('the rail says in a word what the overview says, and leads there', async ({
    logstead,
    page,
  }) => {
    await logstead.sendTcp('<13>1 - web-1 app - - - one');
    await page.goto(logstead.url('/tail'));
    const health = page.getByRole('button', { name: /^Health: 1 trouble/ });
    await expect(health).toContainText('1 trouble');
    await health.click();
    const panel = page.getByRole('dialog', { name: 'Health' });
    await expect(panel).toContainText('siem does not take messages');
    await panel.getByRole('link', { name: 'Overview' }).click();
    await expect(page).toHaveURL(/\/overview/);
    await expect(page.getByRole('region', { name: 'Health' })).toContainText(
      'siem does not take messages',
    );
  });
});
