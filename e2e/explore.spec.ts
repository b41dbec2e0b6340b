// Keywords: message drawer, context, fields.
import { expect, test } from './logstead';
import type { Fields } from './pages/fields';
import type { ValueCount } from './server';

const MINUTE_MS = 60_000;

/** The time this many minutes ago, in the format of a message. */
function ago(minutes: number): string {
  return new Date(Date.now() - minutes * MINUTE_MS).toISOString();
}

/**
 * The messages in the order in which they were sent, which is the reverse of that in the results.
 */
const messages = {
  opened: `<35>1 ${ago(9)} fw-1 sshd 77 - [x user="ana" ip="10.20.1.7"] session opened for ana`,
  failed: `<38>1 ${ago(8)} web-1 nginx 78 - [x status="404" took="1.5s"] GET /login failed`,
  reset: `<36>1 ${ago(7)} web-2 nginx 79 - [x status="503" ip="192.168.0.9"] Connection reset by peer`,
  closed: `<38>1 ${ago(6)} fw-1 sshd 77 - [x user="root"] session closed`,
  // Without a header, this is dated by its receipt, after all others.
  bare: 'nothing but words',
};

type Name = keyof typeof messages;

const clauses: readonly { query: string; finds: readonly Name[] }[] = [
  { query: 'session', finds: ['opened', 'closed'] },
  { query: 'session ana', finds: ['opened'] },
  { query: '"reset by peer"', finds: ['reset'] },
  { query: 'conn*', finds: ['reset'] },
  { query: 'host:web-?', finds: ['failed', 'reset'] },
  { query: 'program=sshd', finds: ['opened', 'closed'] },
  { query: 'x.user=root', finds: ['closed'] },
  { query: 'severity>=warning', finds: ['opened', 'reset'] },
  { query: 'x.took>1s', finds: ['failed'] },
  { query: 'x.status:[400 TO 500}', finds: ['failed'] },
  { query: 'x.status:404..503', finds: ['failed', 'reset'] },
  { query: 'x.ip:10.20.0.0/16', finds: ['opened'] },
  { query: 'message:/session (opened|closed)$/', finds: ['closed'] },
  { query: 'x.user:*', finds: ['opened', 'closed'] },
  { query: 'session -x.user=root', finds: ['opened'] },
  { query: 'failed OR opened', finds: ['opened', 'failed'] },
  { query: '(failed OR opened) NOT host:fw*', finds: ['failed'] },
  { query: 'flag:unparsed', finds: ['bare'] },
  { query: 'logspace:security', finds: [] },
  { query: 'logspace:main program:nginx', finds: ['failed', 'reset'] },
  { query: `time<${ago(7.5)}`, finds: ['opened', 'failed'] },
];

test('a search by every kind of clause finds what it should', async ({ logstead, searchPage }) => {
  const names = Object.keys(messages) as Name[];
  await logstead.sendTcp(...names.map((name) => messages[name]));
  await expect.poll(() => logstead.count('*')).toBe(names.length);
  await searchPage.open();
  await expect(searchPage.found).toHaveCount(names.length);

  for (const { query, finds } of clauses) {
    await test.step(query, async () => {
      const texts = names.filter((name) => finds.includes(name)).map(textOf);
      await searchPage.search(query);
      await expect(searchPage.found).toContainText(texts.toReversed());
      expect(await logstead.count(query)).toBe(finds.length);
    });
  }
});

/** The text that follows the header. */
function textOf(name: Name): string {
  return messages[name].replace(/^.*\] /, '');
}

const logins = [
  ...Array.from({ length: 5 }, (_, n) => `<38>1 - web-1 sshd ${n} - - login of ana`),
  ...Array.from({ length: 3 }, (_, n) => `<36>1 - web-1 sudo ${n} - - login of bob`),
  ...Array.from({ length: 2 }, (_, n) => `<38>1 - web-2 nginx ${n} - - login of eve`),
];

test('dragging over the histogram shows that stretch, and the back button and z undo it', async ({
  logstead,
  page,
  searchPage,
}) => {
  const beats = [50, 40, 30, 20, 10].map((at) => `<38>1 ${ago(at)} h app - - - beat ${at}`);
  await logstead.sendTcp(...beats);
  await expect.poll(() => logstead.count('beat')).toBe(5);
  await searchPage.open({ q: 'beat' });
  await expect.poll(() => searchPage.total()).toBe(5);

  await searchPage.zoom(0.25, 0.75);
  await expect(searchPage.found).toContainText(['beat 20', 'beat 30', 'beat 40']);
  await expect.poll(() => searchPage.total()).toBe(3);
  const { searchParams } = new URL(page.url());
  const range = `time>=${searchParams.get('from') ?? ''} time<${searchParams.get('to') ?? ''}`;
  expect(await logstead.count(`beat ${range}`)).toBe(3);

  await page.goBack();
  await expect(searchPage.found).toHaveCount(5);

  await searchPage.zoom(0.25, 0.75);
  await expect(searchPage.found).toHaveCount(3);
  await page.keyboard.press('z');
  await expect(searchPage.found).toHaveCount(5);
});

test('a shared link opens the same messages, whatever came in since', async ({
  context,
  logstead,
  searchPage,
  searchPageOf,
}) => {
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login' });
  await expect.poll(() => searchPage.total()).toBe(10);
  const link = await searchPage.share();
  const end = Date.parse(new URL(link).searchParams.get('to') ?? '');
  await expect.poll(() => Date.now()).toBeGreaterThan(end);

  await logstead.sendTcp('<38>1 - web-1 sshd 9 - - login of a latecomer');
  await searchPage.newer(1).click();
  await expect(searchPage.message('latecomer')).toBeVisible();

  const other = await context.newPage();
  await other.goto(link);
  const opened = searchPageOf(other);
  await expect.poll(() => opened.total()).toBe(10);
  await expect(opened.message('login of')).toHaveCount(10);
  await expect(opened.message('latecomer')).toBeHidden();
});

test('the values beside the results are those of the API, and can be included, excluded and had alone', async ({
  logstead,
  searchPage,
}) => {
  const { fields } = searchPage;
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login' });

  await expectValues(fields, 'program', await logstead.values('program'));
  await expect(fields.value('program', 'sshd')).toHaveAccessibleName('sshd, 5 messages, 50 %');

  await fields.value('program', 'sshd').click();
  await expect.poll(() => searchPage.written()).toBe('login program=sshd');
  await expect.poll(() => searchPage.total()).toBe(5);
  await expectValues(fields, 'host', await logstead.values('host', 'login program=sshd'));
  await expect(fields.value('program', 'sshd')).toBeChecked();

  await fields.only('host', 'web-1');
  await expect.poll(() => searchPage.written()).toBe('host=web-1');
  await expect.poll(() => searchPage.total()).toBe(8);

  await fields.exclude('program', 'sudo');
  await expect.poll(() => searchPage.written()).toBe('host=web-1 -program=sudo');
  await expect.poll(() => searchPage.total()).toBe(5);
});

async function expectValues(fields: Fields, field: string, values: readonly ValueCount[]) {
  await expect(fields.values(field)).toHaveCount(values.length);
  for (const { value, count } of values) {
    const name = new RegExp(`^${value}, ${count} messages`);
    await expect(fields.value(field, value)).toHaveAccessibleName(name);
  }
}

test('a clause can be switched off and on, turned round and taken out', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login program=sshd' });
  await expect.poll(() => searchPage.total()).toBe(5);

  const clause = await searchPage.clause('program=sshd');
  await clause.getByRole('button', { name: 'Switch off program=sshd' }).click();
  await expect.poll(() => searchPage.total()).toBe(10);
  await expect.poll(() => searchPage.written()).toBe('login');

  await page.getByRole('button', { name: 'Switch on program=sshd' }).click();
  await expect.poll(() => searchPage.total()).toBe(5);

  await (
    await searchPage.clause('program=sshd')
  )
    .getByRole('button', { name: 'Exclude program=sshd' })
    .click();
  await expect.poll(() => searchPage.written()).toBe('login -program=sshd');
  await expect.poll(() => searchPage.total()).toBe(5);
  await expect(searchPage.message('login of ana')).toBeHidden();

  await (
    await searchPage.clause('-program=sshd')
  )
    .getByRole('button', { name: 'Remove -program=sshd' })
    .click();
  await expect.poll(() => searchPage.written()).toBe('login');
  await expect.poll(() => searchPage.total()).toBe(10);
});

test('clauses are tokens in the query, by what they do, also for the keyboard', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login -program=cron severity<=debug | top 5 host' });
  const kinds = ['word', 'not', 'field', 'stage'];
  for (const [at, text] of ['login', '-program=cron', 'severity<=debug', 'top 5 host'].entries())
    await expect(searchPage.token(text)).toHaveAttribute('data-kind', kinds[at] ?? '');

  await searchPage.open({ q: 'login program=sshd' });
  await expect(searchPage.token('program=sshd')).toBeVisible();
  await searchPage.query.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Switch off login' })).toBeFocused();
  for (let presses = 0; presses < 7; presses += 1) await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'Remove program=sshd' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => searchPage.written()).toBe('login');
});

test('a field becomes a column, whose place and width outlive a reload', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(messages.opened, messages.closed);
  await expect.poll(() => logstead.count('session')).toBe(2);
  await searchPage.open({ q: 'session' });
  await searchPage.show('session opened');
  await searchPage.drawer.button('Show x.user as a column').click();
  await searchPage.drawer.button('Close').click();
  await expect(page).toHaveURL(/columns=host%2Cprogram%2Cseverity%2Cx\.user%2Cmessage/);

  await searchPage.column('x.user').getByRole('button', { name: 'x.user' }).click();
  await page.getByRole('menuitem', { name: 'Move left' }).click();
  await expect(page).toHaveURL(/columns=host%2Cprogram%2Cx\.user%2Cseverity%2Cmessage/);

  const width = searchPage.columnWidth('x.user');
  const before = Number(await width.getAttribute('aria-valuenow'));
  await width.press('Shift+ArrowRight');
  const wider = String(before + 40);
  await expect(width).toHaveAttribute('aria-valuenow', wider);

  await page.reload();
  await expect(searchPage.message('session closed')).toContainText('root');
  const heads = searchPage.messages.getByRole('columnheader');
  await expect(heads).toHaveText([/./, /./, 'host', 'program', 'x.user', 'severity', 'message']);
  await expect(width).toHaveAttribute('aria-valuenow', wider);
});

test('the context of a message is what its host said before and after, as far as one asks', async ({
  logstead,
  searchPage,
}) => {
  const lines = Array.from(
    { length: 70 },
    (_, n) => `<38>1 ${ago(20)} host-a app - - - line ${n} .`,
  );
  const others = Array.from(
    { length: 70 },
    (_, n) => `<38>1 ${ago(20)} host-b app - - - other ${n}`,
  );
  await logstead.sendTcp(...lines.flatMap((line, n) => [line, others[n] ?? '']));
  await expect.poll(() => logstead.count('*')).toBe(140);
  await searchPage.open({ q: '"line 35 ."' });
  await searchPage.show('line 35');
  const { drawer } = searchPage;
  await drawer.tab('Context');

  const between = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, n) => `line ${first + n} .`);
  await expect(drawer.around).toContainText(between(15, 55));
  await drawer.button('20 earlier').click();
  await expect(drawer.around).toContainText(between(0, 55));
  await drawer.button('20 later').click();
  await expect(drawer.around).toContainText(between(0, 69));
});

test('two marked messages are compared, and the field in which they differ is named', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(
    `<38>1 ${ago(1)} web-1 sshd 7 - [x user="ana"] login`,
    `<38>1 ${ago(1)} web-1 sshd 7 - [x user="bob"] login`,
  );
  await expect.poll(() => logstead.count('login')).toBe(2);
  await searchPage.open({ q: 'login' });
  await searchPage.found
    .first()
    .getByText('login')
    .click({ modifiers: ['Shift'] });
  await searchPage.found
    .last()
    .getByText('login')
    .click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Compare', exact: true }).click();

  const comparison = searchPage.dialog.getByRole('table');
  const user = comparison.getByRole('row', { name: /^x\.user/ });
  await expect(user.getByRole('img', { name: 'differs' })).toBeVisible();
  await expect(user.getByRole('cell')).toHaveText(['bob', 'ana']);
  await expect(comparison.getByRole('row', { name: /^host/ })).toBeHidden();
});

test('the bytes of a message that is no UTF-8 are there, every one of them', async ({
  logstead,
  searchPage,
}) => {
  const latin1 = Buffer.from('<38>1 - web-1 app 7 - - caf\u00e9 opened', 'latin1');
  await logstead.sendTcp(latin1);
  await expect.poll(() => logstead.count('opened')).toBe(1);
  await searchPage.open({ q: 'opened' });
  await searchPage.show('opened');
  const { drawer } = searchPage;
  await drawer.tab('Raw');
  await expect(drawer.raw).toContainText('caf\ufffd opened');

  await drawer.form('Hex');
  await expect.poll(async () => bytesIn(await drawer.raw.innerText())).toEqual([...latin1]);
});

/** The bytes of a hexadecimal dump, without its other columns. */
function bytesIn(dump: string): number[] {
  return dump.split('\n').flatMap((row) => {
    const [, bytes = ''] = /^[\da-f]+ {2}((?:[\da-f]{2} +)+)/.exec(row) ?? [];
    return bytes.split(' ').flatMap((byte) => (byte === '' ? [] : [Number.parseInt(byte, 16)]));
  });
}

test('an empty result names the clause that is to blame, and one click removes it', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(...logins);
  await expect.poll(() => logstead.count('login')).toBe(10);
  await searchPage.open({ q: 'login host:nowhere' });
  await expect(searchPage.empty).toBeVisible();
  const row = page.getByRole('row', { name: /^host:nowhere/ });
  await expect(row.getByRole('cell')).toHaveText(['0', '10', /./]);

  await row.getByRole('button', { name: 'Search without host:nowhere' }).click();
  await expect.poll(() => searchPage.written()).toBe('login');
  await expect.poll(() => searchPage.total()).toBe(10);
});

test('where the range holds no match, the nearest one is named and its hour opens', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(
    `<38>1 ${ago(3 * 24 * 60)} web-1 app 7 - - a relic`,
    `<38>1 ${ago(9 * 24 * 60)} web-1 app 7 - - an older relic`,
    '<38>1 - web-1 app 7 - - something else',
  );
  await expect.poll(() => logstead.count('*')).toBe(3);
  await searchPage.open({ q: 'relic' });
  await expect(page.getByText(/The nearest match is before this range, 3 d/)).toBeVisible();
  await page.getByRole('button', { name: 'Show that hour' }).click();
  await expect(searchPage.found).toContainText(['a relic']);
});

test('an error in the query is marked at its place', async ({ searchPage }) => {
  await searchPage.open();
  await searchPage.editor();
  await searchPage.search('host:web-1 severity>=wrong');
  await expect(searchPage.place).toHaveAccessibleName('Line 1, column 22: wrong');
  await expect(searchPage.query.getByTitle(/wrong/)).toHaveText('wrong');
});
