import type { Page } from '@playwright/test';
import type { Logstead } from '../server';

/** The pages before the login: the login itself, and the set-up of a new data directory. */
export class LoginPage {
  readonly signInButton;
  readonly createButton;
  readonly alert;
  /** The dialog over a page whose session has ended. */
  readonly ended;

  constructor(
    private readonly page: Page,
    private readonly logstead: Pick<Logstead, 'url'>,
  ) {
    this.signInButton = page.getByRole('button', { name: 'Sign in', exact: true });
    this.createButton = page.getByRole('button', { name: 'Create administrator' });
    this.alert = page.getByRole('alert');
    this.ended = page.getByRole('dialog', { name: 'Your session has ended' });
  }

  async open(path = '/search'): Promise<void> {
    await this.page.goto(this.logstead.url(path));
  }

  async signIn(name: string, password: string): Promise<void> {
    await this.page.getByLabel('Name').fill(name);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.signInButton.click();
  }

  /** Enters the code after the password, for users with a second factor. */
  async giveCode(code: string): Promise<void> {
    await this.page.getByRole('textbox', { name: 'Code' }).fill(code);
    await this.signInButton.click();
  }

  /** Signs in again as the user of the page. */
  async signInAgain(password: string): Promise<void> {
    await this.ended.getByLabel('Password', { exact: true }).fill(password);
    await this.ended.getByRole('button', { name: 'Sign in' }).click();
  }

  async createAdministrator(code: string, name: string, password: string): Promise<void> {
    await this.page.getByLabel('Setup code').fill(code);
    await this.page.getByLabel('Name').fill(name);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.createButton.click();
  }

  /** The steps of the set-up that come after the administrator. */
  async skipSetUp(): Promise<void> {
    await this.page.getByRole('button', { name: 'Skip' }).click();
  }

  async signOut(user: string): Promise<void> {
    await this.page.getByRole('button', { name: `User: ${user}` }).click();
    await this.page.getByRole('menuitem', { name: 'Sign out' }).click();
  }
}
