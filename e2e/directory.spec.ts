// Keywords: LDAP, login.
import { expect, test as base } from './logstead';
import { Directory, password } from './directory';
import { admin } from './server';

interface Fixtures {
  directory: Directory;
}

const test = base.extend<Fixtures>({
  signedIn: false,
  directory: async ({}, use) => {
    const directory = await Directory.start();
    await use(directory);
    await directory.remove();
  },
  server: async ({ directory }, use) => {
    await use({ config: directory.settings });
  },
});

test('who a directory knows logs in with the password there and has the rights of a group', async ({
  loginPage,
  logstead,
  page,
  searchPage,
}) => {
  await logstead.sendTcp(
    '<13>1 - web-1 app - - - hello to readers',
    '<13>1 - web-1 secret - - - hello to nobody',
  );
  await expect.poll(() => logstead.count('hello')).toBe(2);
  await loginPage.open('/search?q=hello');
  await loginPage.signIn('bo', 'wrong password');
  await expect(loginPage.alert).toContainText('wrong');

  await loginPage.signIn('bo', password);
  await expect(searchPage.message('hello to readers')).toBeVisible();
  await expect(searchPage.message('hello to nobody')).toBeHidden();
  await page.getByRole('button', { name: 'User: bo' }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await expect(page.getByText('bo, analyst, in main, limited to program:app')).toBeVisible();
  await expect(page.getByText('You sign in with corp')).toBeVisible();
  await expect(page.getByLabel('Current password')).toBeHidden();

  await loginPage.signOut('bo');
  await loginPage.signIn('ana', password);
  await expect(page.getByRole('button', { name: 'User: ana' })).toBeVisible();
});

test('a person without a group is told so and stays out', async ({ loginPage, searchPage }) => {
  await loginPage.open();
  await loginPage.signIn('cy', password);
  await expect(loginPage.alert).toContainText('in no group');
  await expect(searchPage.query).toBeHidden();
});

test('when the directory is away, that is said, and an administrator of our own logs in', async ({
  directory,
  loginPage,
  searchPage,
}) => {
  await directory.end();
  await loginPage.open();
  await loginPage.signIn('bo', password);
  await expect(loginPage.alert).toContainText('corp');
  await loginPage.signIn(admin.name, admin.password);
  await expect(searchPage.query).toBeVisible();
});
