// Keywords: message list, columns, wrap.
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './logstead';
import { defaultRouter } from './server';

const long = (n: number) =>
  `<38>1 - web-${n % 7} app ${n} - - ${'word '.repeat(5 + ((n * 37) % 90))}${n}`;

test('no row covers another one, however the list is drawn and changed', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(...Array.from({ length: 300 }, (_, n) => long(n)));
  await expect.poll(() => logstead.count('word')).toBe(300);
  const calm = async (what: string) => {
    expect(await searchPage.overlaps(), what).toBe(0);
  };

  await searchPage.open({ q: 'word', wrap: '1' });
  await expect(searchPage.found.first()).toBeVisible();
  await calm('wrapped');
  await searchPage.found.nth(3).getByRole('button', { name: 'Details' }).click();
  await expect(searchPage.details).toBeVisible();
  await calm('with the drawer');
  await page.setViewportSize({ width: 1000, height: 800 });
  await calm('in a narrower window');
  await searchPage.drawer.button('Close').click();
  await calm('without the drawer');
  await searchPage.messages.hover();
  await page.mouse.wheel(0, 4_000);
  await calm('further down');
  for (const width of [390, 720, 1_600, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    await calm(`${width} px wide`);
  }
  for (const zoom of ['2', '0.8', '1']) {
    await page.evaluate((value) => (document.documentElement.style.zoom = value), zoom);
    await calm(`at a zoom of ${zoom}`);
  }
  for (const key of ['v', 'w', 'v', 'w', 'v', 'v']) {
    await page.keyboard.press(key);
    await calm(`after ${key}`);
  }
  await logstead.sendTcp(...Array.from({ length: 40 }, (_, n) => long(1_000 + n)));
  await calm('with new messages');
  await page.keyboard.press('Home');
  await calm('at the newest');
});

const beat = (n: number) => `<38>1 - web-1 app ${n} - - beat ${n}`;

test('the list stands still until its reader takes in what is new, by a click or a key', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(beat(1));
  await expect.poll(() => logstead.count('beat')).toBe(1);
  await searchPage.open({ q: 'beat' });
  await expect(searchPage.found).toHaveCount(1);

  await logstead.sendTcp(beat(2), beat(3));
  await expect(searchPage.newer(2)).toBeVisible();
  await expect(searchPage.found).toContainText(['beat 1']);
  const button = await searchPage.newer(2).boundingBox();
  const row = await searchPage.found.first().boundingBox();
  expect((button?.y ?? NaN) + (button?.height ?? NaN)).toBeLessThanOrEqual(row?.y ?? NaN);

  await searchPage.newer(2).click();
  await expect(searchPage.found).toContainText(['beat 3', 'beat 2', 'beat 1']);
  await expect(searchPage.newer(2)).toBeHidden();
  await expect.poll(() => searchPage.total()).toBe(3);

  await logstead.sendTcp(beat(4));
  await expect(searchPage.newer(1)).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('Home');
  await expect(searchPage.found).toContainText(['beat 4', 'beat 3', 'beat 2', 'beat 1']);
});

test('who wants the list live has it live on the next visit, too', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(beat(1));
  await expect.poll(() => logstead.count('beat')).toBe(1);
  await searchPage.open({ q: 'beat' });
  await searchPage.goLive();
  await logstead.sendTcp(beat(2));
  await expect(searchPage.found).toContainText(['beat 2', 'beat 1']);

  await page.goto('about:blank');
  await searchPage.open({ q: 'beat' });
  await expect(searchPage.found).toHaveCount(2);
  await logstead.sendTcp(beat(3));
  await expect(searchPage.found).toContainText(['beat 3', 'beat 2', 'beat 1']);
});

test('a page that is left alone asks the server for nothing, and answers come compressed', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(...Array.from({ length: 50 }, (_, n) => beat(n)));
  await expect.poll(() => logstead.count('beat')).toBe(50);
  const nextSignOfLife = await signsOfLife(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const answer = page.waitForResponse((response) => response.url().endsWith('/api/v1/search'));
  await searchPage.open({ q: 'beat' });
  await expect(searchPage.found.first()).toBeVisible();
  expect((await answer).headers()['content-encoding']).toMatch(/zstd|br|gzip/);
  await expect.poll(() => searchPage.total()).toBe(50);
  // Messages stored while the page was loading are counted once.
  await nextSignOfLife();
  asked.length = 0;
  await nextSignOfLife();
  expect(
    asked.filter((path) => /search|overview|count|histogram|fields|facets/.test(path)),
  ).toEqual([]);
});

test.describe('a list that folds', () => {
  test.use({ folds: true });

  test('repeats of one kind are one row, which shows all of them by a click or a key', async ({
    logstead,
    page,
    searchPage,
  }) => {
    const failed = (n: number) => `<38>1 - web-1 sshd ${n} - - Failed password from 10.0.0.${n}`;
    await logstead.sendTcp(beat(1), ...[1, 2, 3, 4].map(failed), '<38>1 - web-2 app - - - the end');
    await expect.poll(() => logstead.count('*')).toBeGreaterThanOrEqual(6);
    await searchPage.open({ q: '-source=internal' });
    const repeats = page.getByRole('button', { name: '4 messages of this kind' });
    await expect(searchPage.found).toContainText(['the end', 'from 10.0.0.4', 'beat 1']);
    await expect(searchPage.found).toHaveCount(3);

    await repeats.click();
    await expect(searchPage.found).toHaveCount(6);
    await expect(repeats).toHaveAttribute('aria-expanded', 'true');
    await page.keyboard.press('f');
    await expect(searchPage.found).toHaveCount(3);
  });
});

test('structured messages are said in words, with the values that tell them apart', async ({
  logstead,
  page,
  searchPage,
}) => {
  const lines = [200, 502, 404, 502, 200].map((status, n) => {
    const body = {
      ts: 1795 + n,
      level: 'info',
      msg: 'payment sent',
      status,
      zone: 'eu-1',
      took: n,
    };
    return `<38>1 - shop-1 api ${n} - - ${JSON.stringify(body)}`;
  });
  await logstead.sendTcp(...lines, '<38>1 - shop-1 api 9 - - \u001b[31mred\u001b[0m alert');
  await expect.poll(() => logstead.count('host=shop-1')).toBe(6);
  await searchPage.open({ q: 'host=shop-1' });
  await expect(searchPage.message('payment sent')).toHaveCount(5);
  const row = searchPage.message('status=404');
  await expect(row).not.toContainText('level');
  await expect(row).not.toContainText('zone=');
  await expect(row).not.toContainText('shop-1');
  await expect(searchPage.messages.getByTitle('All from host shop-1')).toBeVisible();
  await expect(searchPage.message('red alert')).toBeVisible();
  await expect(searchPage.messages.locator('mark')).toHaveCount(0);

  await row.getByText('status=').click();
  await page.getByRole('menuitem', { name: 'Exclude' }).click();
  await expect.poll(() => searchPage.written()).toBe('host=shop-1 -status=404');
  await expect(searchPage.message('payment sent')).toHaveCount(4);

  // Neighbouring messages are shown in the same way.
  await searchPage.show('red alert');
  await searchPage.drawer.tab('Context');
  const neighbour = searchPage.drawer.around.filter({ hasText: 'status=404' });
  await expect(neighbour).toContainText('payment sent');
  await expect(neighbour).not.toContainText('"msg"');
});

test('only words that were looked for are marked, not the fields that were chosen', async ({
  logstead,
  searchPage,
}) => {
  await logstead.sendTcp(
    '<38>1 - web-1 sshd 7 - - session opened',
    '<38>1 - web-2 sshd 7 - - session opened again',
    '<38>1 - web-2 cron 7 - - session opened by cron',
  );
  await expect.poll(() => logstead.count('session')).toBe(3);
  await searchPage.open({ q: 'opened program:(sshd OR cron) host:web-*' });
  await expect(searchPage.found).toHaveCount(3);
  await expect(searchPage.message('by cron')).toContainText('web-2');
  await expect(searchPage.messages.locator('mark')).toHaveText(['opened', 'opened', 'opened']);
});

test('what a row leaves out of a long message is a click away', async ({
  logstead,
  searchPage,
}) => {
  await logstead.ingest([`core dump of ${'0123456789 '.repeat(400)}the end`]);
  await searchPage.open({ q: 'core', wrap: '1' });
  await searchPage.found.getByRole('button', { name: /^… 3\s\d{3} more characters$/ }).click();
  await expect(searchPage.details).toBeVisible();
});

test('nothing pulses for those who want less motion', async ({ logstead, page, searchPage }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await logstead.sendTcp(beat(1));
  await expect.poll(() => logstead.count('beat')).toBe(1);
  await searchPage.open({ q: 'beat', refresh: 'live' });
  await expect(searchPage.found).toHaveCount(1);
  const endless = () =>
    page.evaluate(
      () =>
        document
          .getAnimations()
          .filter(({ effect }) => effect?.getComputedTiming().iterations === Infinity).length,
    );
  await expect.poll(endless).toBe(1);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(endless).toBe(0);
});

test('where several logspaces are in view, each row says which one it is in', async ({
  logstead,
  searchPage,
}) => {
  const line = `<38>1 ${new Date().toISOString()} web-1 sshd 7 - - kept twice`;
  await logstead.sendTcp(line);
  await logstead.ingest([line.replace('twice', 'once')], 'security');
  await expect.poll(() => logstead.count('kept')).toBe(2);
  await searchPage.open({ q: 'kept' });
  await expect(searchPage.column('Logspace')).toBeVisible();
  await expect(searchPage.message('once')).toContainText('security');
  await expect(searchPage.message('twice')).toContainText('main');
});

test.describe('where a route sends to two logspaces', () => {
  test.use({
    server: { router: defaultRouter.replace('to = ["main"]', 'to = ["main", "security"]') },
  });

  test('a message counts once, and its copies when they are asked for', async ({
    logstead,
    page,
    searchPage,
  }) => {
    await logstead.sendTcp('<38>1 - web-1 sshd 7 - - kept twice');
    await expect.poll(() => logstead.count('kept copies:all')).toBe(2);
    await searchPage.open({ q: 'kept' });
    const results = page.getByRole('toolbar', { name: 'Results' });
    await expect(results).toContainText('1 message');
    await expect(searchPage.found).toHaveCount(1);
    await results.getByRole('button', { name: '1 copy left out' }).click();
    await expect.poll(() => searchPage.written()).toBe('kept copies:all');
    await expect(searchPage.found).toHaveCount(2);
    await expect(results).toContainText('2 messages');

    await searchPage.open({ q: 'kept | stats count() by host' });
    const statistics = page.getByRole('region', { name: 'Statistics' });
    await statistics.getByRole('button', { name: '1 copy left out' }).click();
    await expect.poll(() => searchPage.written()).toBe('kept copies:all | stats count() by host');
    await expect(statistics.getByRole('button', { name: 'left out' })).toHaveCount(0);
  });
});

test('an open message has its words for a title, its text line by line, and says how usual its values are', async ({
  logstead,
  page,
  searchPage,
}) => {
  const paid = (n: number, status: number, severity: number) =>
    `<${128 + severity}>1 - shop-${n % 2} api - - - ${JSON.stringify({ msg: `sent ${n}`, status })}`;
  await logstead.sendTcp(
    paid(1, 502, 3),
    paid(2, 200, 6),
    paid(3, 200, 6),
    paid(4, 200, 6),
    '<131>1 - shop-1 java - - - boom: lost\\n\\tat a.B.c(B.java:1)\\n\\tat d.E.f(E.java:2)',
  );
  await expect.poll(() => logstead.count('host=shop-*')).toBe(5);
  await searchPage.open({ q: 'program=api' });
  await searchPage.show('sent 1');
  const { drawer } = searchPage;
  await expect(drawer.region.getByRole('heading', { name: 'sent 1', exact: true })).toBeVisible();
  await expect(drawer.text).toHaveText('{ "msg": "sent 1", "status": 502 }');
  await drawer.button('Values of status: this one 25 %').click();
  const values = drawer.region.getByRole('group', { name: 'Values of status' });
  await expect(values).toContainText('502 is 25 % here, 100 % of errors');
  await expect(values.getByRole('listitem')).toHaveText([/^200375 %/, /^502125 %/]);
  await drawer.button('Raw').click();
  await expect(drawer.text).toContainText('{"msg":"sent 1","status":502}');

  await values.getByRole('button', { name: 'Exclude' }).click();
  await expect.poll(() => searchPage.written()).toBe('program=api -status=502');
  await searchPage.open({ q: 'program=java' });
  await searchPage.show('boom');
  await expect(drawer.region.getByRole('heading', { name: 'boom: lost' })).toBeVisible();
  await expect(drawer.text).toHaveText('boom: lost at a.B.c(B.java:1) at d.E.f(E.java:2)');
  await expect(page.getByRole('heading', { name: 'Stack trace' })).toBeVisible();
});

test('a piece of text that is selected in a row can be asked for, left out or copied', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(
    '<38>1 - web-1 app - - - upstream timed out',
    '<38>1 - web-2 app - - - downstream is fine',
  );
  await expect.poll(() => logstead.count('program=app')).toBe(2);
  await searchPage.open({ q: 'program=app' });
  await searchPage.select('upstream timed out', 'stream timed');
  await page.getByRole('menuitem', { name: 'Exclude this text' }).click();
  await expect(searchPage.found).toContainText(['downstream is fine']);
  await expect(searchPage.found).toHaveCount(1);
});

test('a part of a message that is selected becomes a field', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.ingest(['user "ana" logged in', 'user "bob" logged in', 'nothing to find']);
  await searchPage.open();
  await searchPage.select('user "ana" logged in', 'an');
  await page.getByRole('menuitem', { name: 'Extract as field…' }).click();
  const { dialog } = searchPage;
  const matches = dialog.getByRole('status', { name: 'Matches' });
  const name = dialog.getByLabel('Name of the field');
  await expect(name).toHaveValue('user');
  await expect(dialog.getByLabel('Text before it')).toHaveValue('user "');
  await expect(matches).toContainText(/Found in 2 of the \d+ messages loaded/);
  await expect(matches.getByRole('listitem')).toContainText(['bob', 'ana']);
  await dialog.getByLabel('Text after it').fill('nowhere');
  await expect(matches).toContainText('None of the');
  await dialog.getByLabel('Text after it').fill('"');
  await name.fill('host');
  await name.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('host is a built-in field');
  await name.fill('login');
  await name.press('Enter');
  await expect(dialog).toBeHidden();
  await expect.poll(() => searchPage.written()).toBe(String.raw`* | extract "user \"<login>\""`);
  await expect(page.getByRole('columnheader', { name: 'login' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'bob', exact: true })).toBeVisible();
});

/**
 * Waits for the sign of life that the server sends every few seconds to a page that listens for
 * changes.
 */
async function signsOfLife(page: Page): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  let [stream, heard] = ['', 0];
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.endsWith('/api/v1/changes')) stream = requestId;
  });
  session.on('Network.dataReceived', ({ requestId }) => {
    if (requestId === stream) heard += 1;
  });
  await session.send('Network.enable');
  return async () => {
    const before = heard;
    await expect.poll(() => heard).toBeGreaterThan(before);
  };
}

test('columns of lines and of the table are moved by Alt and an arrow key, and by dragging', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(
    ...['web-1', 'db-1'].map((host, n) => `<14>1 - ${host} app-${n} 1 - - step ${n}`),
  );
  await expect.poll(() => logstead.count('step')).toBe(2);
  await searchPage.open({ q: 'step' });
  const heads = page.getByRole('columnheader').locator('button:visible');
  await expect(heads).toHaveText(['Host', 'Program', 'Message']);
  await heads.filter({ hasText: 'Program' }).press('Alt+ArrowLeft');
  await expect(heads).toHaveText(['Program', 'Host', 'Message']);
  await expect(heads.filter({ hasText: 'Program' })).toBeFocused();
  await expect(searchPage.found.first().getByRole('cell').nth(2)).toHaveText(/app-/);
  await heads.filter({ hasText: 'Host' }).dragTo(heads.filter({ hasText: 'Program' }));
  await expect(heads).toHaveText(['Host', 'Program', 'Message']);

  await searchPage.open({ q: 'step', view: 'table' });
  await expect(heads).toHaveText(['host', 'program', 'severity', 'message']);
  await heads.filter({ hasText: 'host' }).press('Alt+ArrowRight');
  await expect(heads).toHaveText(['program', 'host', 'severity', 'message']);
  await expect(heads.filter({ hasText: 'host' })).toBeFocused();
  await expect(page).toHaveURL(/columns=program%2Chost%2Cseverity%2Cmessage/);
});

test('an open message says which way it went', async ({ logstead, page, searchPage }) => {
  await logstead.sendTcp('<14>1 - web-1 app 1 - - step by step');
  await expect.poll(() => logstead.count('step')).toBe(1);
  await searchPage.open({ q: 'step' });
  await searchPage.found.first().getByRole('button', { name: 'Details' }).click();
  const { drawer } = searchPage;
  await expect(drawer.region.getByRole('heading', { name: 'step by step' })).toBeVisible();
  await expect(drawer.region.getByText('step by step')).toHaveCount(1);
  await drawer.tab('Path');
  await expect(drawer.region).toContainText('Ends up in main.');
  await drawer.region.getByRole('link', { name: 'default' }).click();
  await expect(page).toHaveURL(/\/router\?item=routes-0/);
  await expect(page.getByRole('main')).toContainText('default');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a finger hits what it is meant to, and the range is read whole', async ({
    logstead,
    page,
    searchPage,
  }) => {
    await logstead.sendTcp('<14>1 - web-1 app 1 - - step by step');
    await expect.poll(() => logstead.count('step')).toBe(1);
    await searchPage.open({ q: 'step', from: 'now-24h' });
    await searchPage.editor();
    const smallest = async (target: Locator) => {
      const box = await target.boundingBox();
      return box === null ? 0 : Math.min(box.width, box.height);
    };
    const details = searchPage.found.getByRole('button', { name: 'Details' });
    await expect.poll(() => smallest(details)).toBeGreaterThanOrEqual(24);
    const range = page.getByRole('button', { name: /^Time range:/ });
    await expect(range).toContainText('24h');
    expect(await range.evaluate((button) => button.scrollWidth <= button.clientWidth)).toBe(true);

    await searchPage.token('step').tap();
    const tool = page.getByRole('button', { name: 'Switch off step' });
    await expect.poll(() => smallest(tool)).toBeGreaterThanOrEqual(40);
  });

  test('what can be done with a field is behind a button of its row', async ({
    logstead,
    searchPage,
  }) => {
    await logstead.sendTcp('<14>1 - web-1 app 1 - - step by step');
    await expect.poll(() => logstead.count('step')).toBe(1);
    await searchPage.open({ q: 'step' });
    await searchPage.show('step by step');
    const button = (name: string) => searchPage.dialog.getByRole('button', { name, exact: true });
    const include = button('Include host=web-1');
    const actions = button('Actions for host');
    await expect(actions).toHaveAttribute('aria-expanded', 'false');
    await expect(include).toBeHidden();
    await actions.tap();
    await expect(include).toBeVisible();
    await expect(button('Include program=app')).toBeHidden();
    await include.tap();
    await expect.poll(() => searchPage.written()).toBe('step host=web-1');
  });
});

test('on a phone the first message stands in the upper quarter', async ({
  logstead,
  page,
  searchPage,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await logstead.sendTcp('<14>1 - web-1 app 1 - - step by step');
  await expect.poll(() => logstead.count('step')).toBe(1);
  await searchPage.open({ q: 'step' });
  await expect(page.getByRole('region', { name: 'Messages over time' })).toBeVisible();
  await expect
    .poll(async () => (await searchPage.found.first().boundingBox())?.y ?? Infinity)
    .toBeLessThan(844 / 4);
});

test('the list and the bars above it have the same edges', async ({
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp('<14>1 - web-1 app 1 - - step by step');
  await expect.poll(() => logstead.count('step')).toBe(1);
  await searchPage.open({ q: 'step' });
  await expect(searchPage.found).toHaveCount(1);
  const bars = page.getByRole('region', { name: 'Messages over time' });
  for (const width of [1440, 768]) {
    await page.setViewportSize({ width, height: 900 });
    // The list has a border of one pixel.
    const apart = async () => {
      const [list, above] = [await searchPage.messages.boundingBox(), await bars.boundingBox()];
      if (list === null || above === null) return Infinity;
      const right = above.x + above.width - list.x - list.width;
      return Math.max(Math.abs(list.x - above.x), Math.abs(right));
    };
    await expect.poll(apart, `${width}`).toBeLessThanOrEqual(1);
  }
});
