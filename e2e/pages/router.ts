import type { Locator, Page } from '@playwright/test';
import type { Logstead } from '../server';

export interface Route {
  name: string;
  filter: string;
  sendTo: string;
}

export class RouterPage {
  readonly text;
  readonly alert;
  readonly dialog;

  constructor(
    private readonly page: Page,
    private readonly logstead: Logstead,
  ) {
    this.text = page.getByRole('textbox', { name: 'Router document' });
    this.alert = page.getByRole('alert');
    this.dialog = page.getByRole('dialog');
  }

  async open(): Promise<void> {
    await this.page.goto(this.logstead.url('/router'));
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  async show(tab: 'Form' | 'Text'): Promise<void> {
    await this.page.getByRole('tab', { name: tab }).click();
  }

  async addRoute({ name, filter, sendTo }: Route): Promise<void> {
    await this.button('Add route').click();
    await this.page.getByLabel('Name').last().fill(name);
    await this.page.getByLabel('Filter').last().fill(filter);
    await this.page.getByLabel('Send to').last().fill(sendTo);
    await this.page.getByRole('option', { name: sendTo }).click();
  }

  liveRevision(number: number): Locator {
    return this.page.getByText(`Revision ${number}`).and(this.page.getByText('live'));
  }

  revision(number: number): Locator {
    return this.page.getByRole('row').filter({ hasText: `${number}` });
  }

  async rollBackTo(number: number): Promise<void> {
    await this.revision(number).getByRole('button', { name: 'Roll back' }).click();
    await this.dialog.getByRole('button', { name: 'Roll back' }).click();
  }

  /** Makes the draft live. */
  async apply(comment: string): Promise<void> {
    await this.button('Apply').click();
    await this.dialog.getByLabel('Comment').fill(comment);
    await this.dialog.getByRole('button', { name: 'Apply' }).click();
  }
}
