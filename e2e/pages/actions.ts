import type { Locator, Page } from '@playwright/test';

const names = {
  Saved: /^Saved/,
  Save: /^Save(?!d)/,
  Share: /^Share/,
  Export: /^Export/,
  API: /^API/,
};

/** What can be done with a search: keep it, hand it on, take its messages away. */
export class Actions {
  readonly dialog;

  constructor(private readonly page: Page) {
    this.dialog = page.getByRole('dialog').filter({ has: page.getByRole('heading') });
  }

  /** Buttons where there is room for them, else a menu. */
  async open(action: keyof typeof names): Promise<void> {
    const main = this.page.getByRole('main');
    const own = main.getByRole('button', { name: names[action] });
    const menu = main.getByRole('button', { name: 'Actions', exact: true });
    await own.or(menu).first().waitFor();
    if (await menu.isVisible()) {
      await menu.click();
      await this.page.getByRole('menuitem', { name: names[action] }).click();
    } else {
      await own.click();
    }
    await this.dialog.waitFor();
  }

  async close(): Promise<void> {
    await this.dialog.getByRole('button', { name: 'Close' }).click();
    await this.dialog.waitFor({ state: 'hidden' });
  }

  button(name: string): Locator {
    return this.dialog.getByRole('button', { name, exact: true });
  }

  /** A search in the list of the saved ones. */
  saved(name: string): Locator {
    return this.dialog.getByRole('listitem').filter({ hasText: name });
  }

  async menuOf(name: string, item: string | RegExp): Promise<void> {
    await this.button(`More about ${name}`).click();
    await this.page.getByRole('menuitem', { name: item }).click();
  }

  async save(name: string, forWhom: 'Only me' | 'Everybody'): Promise<void> {
    await this.open('Save');
    await this.dialog.getByLabel('Name').fill(name);
    await this.dialog.getByLabel(forWhom).check();
    await this.button('Save').click();
    await this.dialog.waitFor({ state: 'hidden' });
  }
}
