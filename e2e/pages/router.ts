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
  /** What the text editor offers to write. */
  readonly suggestions;
  readonly dialog;

  constructor(
    private readonly page: Page,
    private readonly logstead: Logstead,
  ) {
    this.text = page.getByRole('textbox', { name: 'Router document' });
    this.alert = page.getByRole('alert');
    this.suggestions = page.getByRole('listbox').getByRole('option');
    this.dialog = page.getByRole('dialog');
  }

  async open(): Promise<void> {
    await this.page.goto(this.logstead.url('/router'));
  }

  async show(tab: 'Form' | 'Text' | 'Counters' | 'History'): Promise<void> {
    await this.page.getByRole('tab', { name: tab }).click();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  liveRevision(number: number): Locator {
    return this.page.getByText(`Revision ${number}, live`);
  }

  /** A new route stands before those that are there, so that it is asked first. */
  async addRoute({ name, filter, sendTo }: Route): Promise<void> {
    await this.button('Add route').click();
    const form = this.page.getByRole('region', { name: /^Route/ });
    await form.getByLabel('Name').fill(name);
    await form.getByLabel('Filter').fill(filter);
    await form.getByRole('group', { name: 'Send to' }).getByLabel(sendTo).check();
    await form.getByRole('button', { name: 'Move up' }).click();
  }

  /** Puts the cursor on a new line of the text, below the first one that is like this. */
  async startLine(below: string): Promise<void> {
    await this.text.getByText(below, { exact: true }).first().click();
    await this.page.keyboard.press('End');
    await this.page.keyboard.press('Enter');
  }

  /** Makes the draft live. */
  async apply(comment: string): Promise<void> {
    await this.button('Apply').click();
    await this.dialog.getByLabel('Comment').fill(comment);
    await this.dialog.getByRole('button', { name: 'Apply' }).click();
  }

  revision(number: number): Locator {
    const revisions = this.page.getByRole('table', { name: 'Revisions' });
    return revisions.getByRole('row', { name: new RegExp(`^${number}(?!\\d)`) });
  }

  async rollBackTo(number: number, comment: string): Promise<void> {
    await this.revision(number).getByRole('button', { name: 'Roll back' }).click();
    await this.dialog.getByLabel('Comment').fill(comment);
    await this.dialog.getByRole('button', { name: 'Roll back' }).click();
  }
}
