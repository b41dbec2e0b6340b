// Keywords: axe, contrast, screen reader, dark theme, search, drawer, menus, dialogs.
import { expect, test } from '../logstead';
import { LOOKS, button, expectAccessible, over, sendSome } from './axe';

test.describe('accessible in both themes', () => {
  test.describe.configure(LOOKS);
  test.use({ colorScheme: 'light' });

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
});
