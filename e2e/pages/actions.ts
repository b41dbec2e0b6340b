import type { Locator, Page } from '@playwright/test';

/** The menu of each action; `button` is the separate button that it has if there is room. */
const actions = {
  Saved: { menu: 'Save', item: /^Saved searches/ },
  Save: { menu: 'Save', item: /^Save this/ },
  Share: { button: 'Share', item: /^Share/ },
  Export: { button: 'Export', item: /^Export/ },
  API: { menu: 'More actions', item: /^API/ },
};

interface Way {
  menu?: string;
  button?: string;
  item: RegExp;
}

/** The actions on a search: save it, share it, export its messages. */
export class Actions {
  readonly dialog;

  constructor(private readonly page: Page) {
    this.dialog = page.getByRole('dialog').filter({ has: page.getByRole('heading') });
  }

  /** If there is little room, all actions are in one menu. */
  async open(action: keyof typeof actions): Promise<void> {
    const { menu, button, item }: Way = actions[action];
    const bar = this.page.getByRole('toolbar', { name: 'Results' });
    const more = bar.getByRole('button', { name: 'More actions' });
    const own = bar.getByRole('button', { name: menu ?? button ?? '', exact: true });
    await more.waitFor();
    const isOwn = await own.isVisible();
    await (isOwn ? own : more).click();
    if (!isOwn || menu !== undefined) await this.page.getByRole('menuitem', { name: item }).click();
    await this.dialog.waitFor();
  }

  async close(): Promise<void> {
    await this.dialog.getByRole('button', { name: 'Close' }).click();
    await this.dialog.waitFor({ state: 'hidden' });
  }

  button(name: string): Locator {
    return this.dialog.getByRole('button', { name, exact: true });
  }

  /** A search in the list of saved searches. */
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
