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
  /** The suggestions of the text editor. */
  readonly suggestions;
  readonly dialog;
  /** The form of the open route. */
  readonly form;
  /** The places in the text that are marked as wrong. */
  readonly marks;

  constructor(
    readonly page: Page,
    private readonly logstead: Pick<Logstead, 'url'>,
  ) {
    this.text = page.getByRole('textbox', { name: 'Router document' });
    this.alert = page.getByRole('alert');
    this.suggestions = page.getByRole('listbox').getByRole('option');
    this.dialog = page.getByRole('dialog');
    this.form = page.getByRole('region', { name: /^Route / });
    this.marks = page.locator('.cm-lint-marker-error');
  }

  async open(): Promise<void> {
    await this.page.goto(this.logstead.url('/router'));
  }

  async show(view: 'Canvas' | 'List' | 'Text'): Promise<void> {
    await this.page.getByRole('radiogroup', { name: 'View' }).getByText(view).click();
  }

  async showHistory(): Promise<void> {
    await this.button('History').click();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  liveRevision(number: number): Locator {
    return this.page.getByText(`Revision ${number}, live`);
  }

  /** A route on the canvas or in the list. */
  route(name: string): Locator {
    return this.button(`Route ${name}`);
  }

  /** The header of a step in the form. */
  step(kind: string): Locator {
    const steps = this.form.getByRole('region', { name: 'Steps' });
    return steps.getByRole('button', { name: new RegExp(`^\\d+ ?${kind}\\b`) });
  }

  async addStep(kind: string): Promise<void> {
    await this.button('Add step').click();
    await this.page.getByRole('menuitem', { name: new RegExp(`^${kind} `) }).click();
  }

  /** Holds back the router's status from the page until the returned function is called. */
  async holdStatus(): Promise<() => Promise<void>> {
    const url = '**/api/v1/router/status';
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await this.page.route(url, async (route) => {
      await released;
      // A request that the page has given up in the meantime cannot continue.
      await route.continue().catch(() => undefined);
    });
    return async () => {
      release();
      await this.page.unroute(url);
    };
  }

  async addRoute({ name, filter, sendTo }: Route): Promise<void> {
    await this.button('Add route').click();
    await this.form.getByRole('textbox', { name: 'Name' }).fill(name);
    await this.form.getByRole('textbox', { name: 'Filter' }).fill(filter);
    await this.form.getByRole('button', { name: 'Add target' }).click();
    await this.page.getByRole('menuitem', { name: sendTo }).click();
  }

  /** Puts the cursor on a new line of the text, below the first line that equals this one. */
  async startLine(below: string): Promise<void> {
    await this.text.getByText(below, { exact: true }).first().click();
    await this.page.keyboard.press('End');
    await this.page.keyboard.press('Enter');
  }

  /** Makes the draft live. */
  async apply(comment: string): Promise<void> {
    await this.button('Apply…').click();
    await this.dialog.getByLabel('Comment').fill(comment);
    await this.dialog.getByRole('button', { name: 'Apply' }).click();
  }

  revision(number: number): Locator {
    const revisions = this.page.getByRole('table', { name: 'Revisions' });
    return revisions.getByRole('row', { name: new RegExp(`^${number}(?!\\d)`) });
  }

  async rollBackTo(number: number, comment: string): Promise<void> {
    await this.revision(number).getByRole('button', { name: 'Roll back' }).click();
    const asked = this.page.getByRole('dialog', { name: 'Roll back to revision' });
    await asked.getByLabel('Comment').fill(comment);
    await asked.getByRole('button', { name: 'Roll back' }).click();
  }
}
