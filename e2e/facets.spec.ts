// Keywords: facets, field values.
import { expect, test } from './logstead';

const logins = [
  ...Array.from({ length: 5 }, (_, n) => `<38>1 - web-1 sshd ${n} - - login of ana`),
  ...Array.from({ length: 3 }, (_, n) => `<36>1 - web-1 sudo ${n} - - login of bob`),
  ...Array.from({ length: 2 }, (_, n) => `<38>1 - web-2 nginx ${n} - - login of eve`),
];

/** Half of them have a user; `took` is different in each. */
const requests = Array.from({ length: 40 }, (_, n) => {
  const user = n % 2 === 0 ? ` user="u${n % 3}"` : '';
  const data = `[shop status="${500 + (n % 3)}" took="${n + 1}ms" version="1.2"${user}]`;
  return `<38>1 - web-1 shop ${n} - ${data} request served`;
});

test('several values of a field are chosen, and the others stay to be chosen', async ({
  logstead,
  searchPage,
}) => {
  const { fields } = searchPage;
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login' });

  await fields.value('program', 'sudo').click();
  await expect.poll(() => searchPage.total()).toBe(3);
  await expect(fields.value('program', 'nginx')).toHaveAccessibleName('nginx, 2 messages, 20 %');

  await fields.value('program', 'nginx').click();
  await expect.poll(() => searchPage.written()).toBe('login program in (sudo, nginx)');
  await expect.poll(() => searchPage.total()).toBe(5);
  await expect(fields.value('program', 'sudo')).toBeChecked();
  await expect(fields.value('program', 'nginx')).toBeChecked();
  await expect(fields.value('program', 'sshd')).not.toBeChecked();
  await expect(fields.section('program')).toContainText('2 of 3');

  await fields.value('program', 'sudo').click();
  await expect.poll(() => searchPage.written()).toBe('login program=nginx');

  await fields.value('host', 'web-2').click({ modifiers: ['Alt'] });
  await expect.poll(() => searchPage.written()).toBe('login program=nginx -host=web-2');
  await expect(fields.value('host', 'web-2')).toHaveAccessibleName(/excluded$/);
});

test('the fields of these messages are found, with their coverage', async ({
  logstead,
  page,
  searchPage,
}) => {
  const { fields } = searchPage;
  await logstead.sendTcp(...requests, ...logins);
  await expect.poll(() => logstead.count('*')).toBe(50);
  await searchPage.open({ q: 'request' });
  await expect.poll(() => searchPage.total()).toBe(40);
  await expect(fields.head('shop.status')).toContainText('100 %');
  await expect(fields.value('shop.status', '500')).toHaveAccessibleName('500, 14 messages, 35 %');
  await expect(fields.head('shop.user')).toContainText('50 %');
  await expect(fields.head('shop.version')).toContainText('1.2');

  await fields.head('shop.user').click();
  await expect(fields.value('shop.user', 'u0')).toHaveAccessibleName('u0, 7 messages, 35 %');

  await fields.value('shop.status', '501').click();
  await expect.poll(() => searchPage.written()).toBe('request shop.status=501');

  await searchPage.open({ q: 'login' });
  await expect.poll(() => searchPage.total()).toBe(10);
  await expect(fields.section('shop.status')).toHaveCount(0);

  await searchPage.open({ q: 'request' });
  // Open fields are open again, and the field is shown below them.
  await expect(fields.value('shop.user', 'u0')).toBeVisible();
  await expect(fields.section('shop.took')).toContainText('median');
  await fields.head('shop.version').hover();
  await fields.sidebar.getByRole('button', { name: 'Actions of shop.version' }).click();
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).click();
  await expect(page).toHaveURL(/facets=severity%2Chost%2Cprogram%2Cshop\.version/);
  await expect(fields.section('shop.version')).toHaveCount(1);
});

test('numbers are spread out, and a part of them is chosen by mouse and keys', async ({
  logstead,
  searchPage,
}) => {
  const { fields } = searchPage;
  await logstead.sendTcp(...requests);
  await expect.poll(() => logstead.count('request')).toBe(40);
  await searchPage.open({ q: 'request', facets: 'shop.took' });
  const numbers = fields.numbers('shop.took');
  await expect(fields.section('shop.took')).toContainText(/min1 msmedian20 msp9538 msmax40 ms/);

  await numbers.focus();
  for (let step = 0; step < 15; step += 1) await numbers.press('Shift+ArrowLeft');
  await numbers.press('Enter');
  await expect.poll(() => searchPage.written()).toBe('request shop.took>=21.7ms');
  await expect.poll(() => searchPage.total()).toBe(19);
  // The whole distribution stays visible, with the selected part marked.
  await expect(fields.section('shop.took')).toContainText('min1 ms');

  await fields.section('shop.took').getByRole('button', { name: 'Any value' }).click();
  await expect.poll(() => searchPage.written()).toBe('request');

  const box = await numbers.boundingBox();
  if (box === null) throw new Error('the numbers are not shown');
  await numbers.hover({ position: { x: 1, y: 10 } });
  await searchPage.drag(box, 0.01, 0.49);
  await expect.poll(() => searchPage.written()).toBe('request shop.took<20.5ms');
  await expect.poll(() => searchPage.total()).toBe(20);
});

test('a field and a value are found among all', async ({ logstead, searchPage }) => {
  const { fields } = searchPage;
  await logstead.sendTcp(...requests);
  await expect.poll(() => logstead.count('request')).toBe(40);
  await searchPage.open({ q: 'request' });
  await fields.finder.fill('vers');
  await expect(fields.head('shop.version')).toBeVisible();
  await fields.finder.fill('web');
  await expect(fields.value('host', 'web-1')).toBeVisible();
  await fields.finder.fill('nowhere');
  await expect(fields.sidebar).toContainText('No matching values.');
  await fields.finder.press('Escape');
  await expect(fields.head('severity')).toBeVisible();
});

test('the values of a field can be searched', async ({ logstead, searchPage }) => {
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login' });
  await expect(searchPage.fields.values('program')).toHaveCount(3);

  await searchPage.fields.searchValues('program', 'su');
  await expect(searchPage.fields.values('program')).toHaveText([/^sudo3/]);
});

test('of a long name the end is in sight, which tells it from its neighbours', async ({
  logstead,
  searchPage,
}) => {
  await logstead.sendTcp(
    '<14>1 - web-1 org.apache.hadoop.ipc.Client 1 - - step one',
    '<14>1 - web-1 org.apache.hadoop.ipc.Server 1 - - step two',
  );
  await expect.poll(() => logstead.count('step')).toBe(2);
  await searchPage.open({ q: 'step', refresh: 'off' });
  for (const end of ['Client', 'Server'])
    await expect(searchPage.fields.sidebar.getByText(end, { exact: true })).toBeInViewport({
      ratio: 1,
    });
});

test('a field is one Tab stop, with arrows inside', async ({ logstead, page, searchPage }) => {
  const { fields } = searchPage;
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login' });
  await expect(fields.values('program')).toHaveCount(3);

  await fields.head('host').focus();
  await page.keyboard.press('Tab');
  await expect(fields.head('program')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(fields.value('program', 'sshd')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect.poll(() => searchPage.written()).toBe('login -program=sshd');
});

test('while another question is counted, the counts before stay as they were, dimmed', async ({
  logstead,
  page,
  searchPage,
}) => {
  const { fields } = searchPage;
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login' });
  const sshd = fields.value('program', 'sshd');
  const bar = fields.values('program').first().locator('[style]').first();
  await expect(sshd).toHaveAccessibleName('sshd, 5 messages, 50 %');
  await expect(bar).toHaveAttribute('style', 'width: 50%;');

  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/v1/overview', async (route) => {
    await released;
    await route.continue();
  });
  await searchPage.search('login -host=web-2');
  await expect(searchPage.found).toHaveCount(8);
  await expect(fields.sidebar.locator('[data-stale="true"]')).toBeVisible();
  await expect(sshd).toHaveAccessibleName('sshd, 5 messages, 50 %');
  await expect(bar).toHaveAttribute('style', 'width: 50%;');

  release();
  await expect(sshd).toHaveAccessibleName('sshd, 5 messages, 63 %');
  await expect(fields.sidebar.locator('[data-stale="true"]')).toHaveCount(0);
});

test('a value that is clicked before another query is shown narrows that query', async ({
  logstead,
  searchPage,
}) => {
  const { fields } = searchPage;
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login' });
  const web2 = await fields.value('host', 'web-2').elementHandle();
  await searchPage.query.fill('login OR nothing');
  // Both clicks happen at once, before an answer can arrive.
  await searchPage.searchButton.evaluate((button: HTMLElement, value) => {
    button.click();
    if (value instanceof HTMLElement) value.click();
  }, web2);
  await expect.poll(() => searchPage.written()).toBe('(login OR nothing) host=web-2');
  await expect.poll(() => searchPage.total()).toBe(2);
});

test('counts that are cut off on the way say so, for the server is there', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login', refresh: 'off' });
  await expect.poll(() => searchPage.total()).toBe(10);
  await page.route('**/api/v1/overview', (route) => route.fulfill({ status: 200, body: '' }));
  await page.keyboard.press('r');
  const failed = page.getByRole('status').filter({ hasText: 'Counts failed: The answer was cut' });
  await expect(failed).toHaveCount(2, { timeout: 20_000 });
  await expect(searchPage.found).toHaveCount(10);

  await page.unroute('**/api/v1/overview');
  await failed.first().getByRole('button', { name: 'Retry' }).click();
  await expect(failed).toHaveCount(0);
  await expect(searchPage.fields.values('program')).toHaveCount(3);
});

test('counts that fail say so, and are asked for again', async ({ logstead, page, searchPage }) => {
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await page.route('**/api/v1/overview', (route) =>
    route.fulfill({
      status: 507,
      contentType: 'application/problem+json',
      body: JSON.stringify({ title: 'Out of memory', detail: 'no memory is left', status: 507 }),
    }),
  );
  await searchPage.open({ q: 'login', refresh: 'off' });
  const failed = page.getByRole('status').filter({ hasText: 'Counts failed: no memory is left.' });
  await expect(failed).toHaveCount(2, { timeout: 20_000 });

  await page.unroute('**/api/v1/overview');
  await failed.first().getByRole('button', { name: 'Retry' }).click();
  await expect(failed).toHaveCount(0);
  await expect(searchPage.fields.values('program')).toHaveCount(3);

  await searchPage.search('severity=nonsense');
  await expect(page.getByText('No counts while the query has an error.')).toHaveCount(2);
});
